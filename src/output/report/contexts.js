const choice = document.getElementById('by-context');
choice.addEventListener('input', () => {
  for (const one of document.querySelectorAll('.context')) {
    one.hidden = choice.value !== '' && one.dataset.context !== choice.value;
  }
});
