//! Coalesced gathers and scatters (`gather_coalesce`): vector accesses and permutations if all lanes are active, else a
//! gather or scatter instruction in cold code.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Base, Index, Masking, Memory, Part, R11D, k, r64, zmm};
use super::super::cluster::{Cluster, ClusterRow};
use super::super::item::{Condition, Item, Label, Slot};
use super::{Avx512, K7, ZMM31};

const LOAD: Code = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
const PERMUTE: Code = Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32;

/// The operands of a coalesced access, inside a group.
struct Place {
    /// The base address, without the index.
    memory: Memory,
    word: Slot,
    mask: Part,
    /// The labels of the cold code and of the join; `None` if all lanes are active for sure.
    ways: Option<(Label, Label)>,
}

impl Avx512<'_, '_> {
    /// Operands: pointer, index, mask.
    pub(super) fn gather_cluster(
        &mut self,
        cluster: &Cluster,
        offset: i32,
        operands: &[Value],
        result: VReg,
    ) {
        let (memory, mask) = (self.displaced(operands[0], offset.into()), operands[2]);
        let registers = (self.reg(cluster.word), self.reg(mask));
        self.begin();
        let result = Part::Slot(self.early_def_slot(zmm(result)));
        let place = self.begin_cluster(cluster, memory, mask, registers);
        let words = self.pool.vector(&cluster.words(16));
        self.item(LOAD, &[ZMM31, Part::Memory(Memory::at(Base::Pool, words))]);
        for (number, row) in cluster.rows.iter().enumerate() {
            let parts = [result, ZMM31, self.cluster_row(cluster, &place, row)];
            if number == 0 {
                self.item(PERMUTE, &parts);
            } else {
                self.load_mask(row.lanes);
                self.masked_item(PERMUTE, &parts, Masking::FrameStore(K7));
            }
        }
        if let Some((some, done)) = place.ways {
            self.begin_some(cluster, &place, some, done);
            self.item(Code::VEX_Kmovw_kr_km16, &[K7, place.mask]);
            self.item(
                Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
                &[result, result, result],
            );
            let memory = Part::Memory(place.memory.indexed(Index::Zmm31, 4));
            let code = Code::EVEX_Vgatherdps_zmm_k1_vm32z;
            self.masked_item(code, &[result, memory], Masking::FrameStore(K7));
            self.end_some(done);
        }
        self.end();
    }

    /// Operands: pointer, index, values, mask.
    pub(super) fn scatter_cluster(&mut self, cluster: &Cluster, offset: i32, operands: &[Value]) {
        let (memory, mask) = (self.displaced(operands[0], offset.into()), operands[3]);
        let registers = (self.reg(cluster.word), self.reg(mask));
        let values = self.reg(operands[2]);
        self.begin();
        let values = Part::Slot(self.use_slot(zmm(values)));
        let place = self.begin_cluster(cluster, memory, mask, registers);
        for row in &cluster.rows {
            let (sources, words) = row.sources(16);
            let sources = self.pool.vector(&sources);
            self.item(
                LOAD,
                &[ZMM31, Part::Memory(Memory::at(Base::Pool, sources))],
            );
            self.item(PERMUTE, &[ZMM31, ZMM31, values]);
            self.load_mask(words);
            let parts = [self.cluster_row(cluster, &place, row), ZMM31];
            let code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
            self.masked_item(code, &parts, Masking::FrameStore(K7));
        }
        if let Some((some, done)) = place.ways {
            self.begin_some(cluster, &place, some, done);
            self.item(Code::VEX_Kmovw_kr_km16, &[K7, place.mask]);
            let memory = Part::Memory(place.memory.indexed(Index::Zmm31, 4));
            let code = Code::EVEX_Vscatterdps_vm32z_k1_zmm;
            self.masked_item(code, &[memory, values], Masking::FrameStore(K7));
            self.end_some(done);
        }
        self.end();
    }

    /// Jumps to the cold code unless all lanes are active; then `r11` is the index of the first lane.
    fn begin_cluster(
        &mut self,
        cluster: &Cluster,
        memory: Memory,
        mask: Value,
        (word, mask_register): (VReg, VReg),
    ) -> Place {
        let memory = self.hold(memory);
        let word = self.use_slot(r64(word));
        let is_everyone = self.is_everyone(mask);
        let mask = Part::Slot(self.use_slot(k(mask_register)));
        let ways = (!is_everyone).then(|| (self.label(), self.label()));
        if let Some((some, _)) = ways {
            // `kortest` sets the carry flag if all bits are set.
            self.item(Code::VEX_Kortestw_kr_kr, &[mask, mask]);
            self.jump_if(Condition::NotBelow, some);
        }
        if cluster.first != 0 {
            let first = Memory::at(Base::Slot(word), cluster.first as i32);
            self.item(Code::Lea_r32_m, &[R11D, Part::Memory(first)]);
        }
        Place {
            memory,
            word,
            mask,
            ways,
        }
    }

    fn cluster_row(&mut self, cluster: &Cluster, place: &Place, row: &ClusterRow) -> Part {
        let index = match cluster.first {
            0 => Index::Slot(place.word),
            _ => Index::R11,
        };
        let memory = Memory {
            offset: place.memory.offset + row.start * 4,
            ..place.memory
        };
        Part::Memory(memory.indexed(index, 4))
    }

    fn load_mask(&mut self, mask: u32) {
        let place = self.pool.word(mask);
        let place = Part::Memory(Memory::at(Base::Pool, place));
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, place]);
    }

    /// Begins the cold code, with the index vector in the scratch register.
    fn begin_some(&mut self, cluster: &Cluster, place: &Place, some: Label, done: Label) {
        self.bind(done);
        self.items.push(Item::Cold);
        self.bind(some);
        let word = Part::Slot(place.word.narrow());
        self.item(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, &[ZMM31, word]);
        let words = &self.function.patterns[cluster.pattern.0 as usize];
        let pattern = Part::Memory(Memory::at(Base::Pool, self.pool.vector(words)));
        let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
        self.item(add, &[ZMM31, ZMM31, pattern]);
    }

    fn end_some(&mut self, done: Label) {
        self.items.push(Item::Jump(done));
        self.items.push(Item::Warm);
    }
}
