// Answers questions about schedules with robfig/cron itself.
//
// Each line of the input is SPEC, ZONE, UNIX SECONDS and COUNT, separated by U+001F. The answer is
// one line (an empty question gets "bad question", and flushes): the Unix seconds of the next runs with blanks between them, ending in "never" where the
// search gives up, or "error: " and the parser's message, or "panic", or "hang".
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron"
)

const patience = 20 * time.Second

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	questions := make(chan string)
	answers := make(chan string, 1)
	worker := func() {
		for question := range questions {
			answers <- answer(question)
		}
	}
	go worker()
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		questions <- strings.TrimSuffix(line, "\n")
		flush := line == "\n"
		timer := time.NewTimer(patience)
		select {
		case got := <-answers:
			timer.Stop()
			fmt.Fprintln(out, got)
		case <-timer.C:
			// The search never ends. Its goroutine is lost; the others get a new worker.
			fmt.Fprintln(out, "hang")
			answers = make(chan string, 1)
			questions = make(chan string)
			go worker()
		}
		if flush { // an empty line requests all answers so far
			out.Flush()
		}
	}
}

func answer(question string) (got string) {
	defer func() {
		if recover() != nil {
			got = "panic"
		}
	}()
	parts := strings.Split(question, "\x1f")
	spec, err := strconv.Unquote(parts[0])
	if err != nil {
		return "bad question: " + err.Error()
	}
	schedule, err := cron.ParseStandard(spec)
	if err != nil {
		return "error: " + strconv.Quote(err.Error())
	}
	zone, err := time.LoadLocation(parts[1])
	if err != nil {
		return "bad question: " + err.Error()
	}
	seconds, _ := strconv.ParseInt(parts[2], 10, 64)
	count, _ := strconv.Atoi(parts[3])
	at := time.Unix(seconds, 0).In(zone)
	var runs []string
	for i := 0; i < count; i++ {
		at = schedule.Next(at)
		if at.IsZero() {
			runs = append(runs, "never")
			break
		}
		runs = append(runs, strconv.FormatInt(at.Unix(), 10))
	}
	return strings.Join(runs, " ")
}
