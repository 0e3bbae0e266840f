//! Reads a cluster, and reads it again.

use crate::cli::args::{Common, Selection};
use crate::evidence::{Basis, EvidenceNote, Live, Needs, ReadWorld, World};
use kube_access::{ClusterError, ReadProgress};

impl Live {
    /// Reads everything again. The resource versions for watches stay.
    pub(crate) fn read_again(
        &self,
        basis: Basis,
        notes: &mut Vec<EvidenceNote>,
    ) -> Result<ReadWorld, ClusterError> {
        let found = self
            .session
            .survey(&self.wanted, &ReadProgress::default())?;
        self.world(basis, found, notes)
    }
}

impl Common {
    /// Reads the cluster, and keeps the connection for more.
    pub(crate) fn load_live(
        &self,
        basis: Basis,
        selection: &Selection,
        needs: Needs,
    ) -> anyhow::Result<(Live, World)> {
        let (live, world) = self.load_query(basis, self.query(selection, needs)?)?;
        let world = self.conclude(world, Some(&live), None);
        Ok((live, world))
    }

    pub(crate) fn read_again(&self, live: &Live, basis: Basis) -> anyhow::Result<World> {
        let world = self.noting(|notes| Ok(live.read_again(basis, notes)?))?;
        Ok(world.judged(Some(live)))
    }
}
