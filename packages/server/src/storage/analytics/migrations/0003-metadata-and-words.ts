import { flattened, METADATA_DEPTH, WORDS } from '../index-expressions.ts'
import type { Migration } from '../migrate.ts'

/**
 * Metadata as entries, for filters on keys and values, each pair also as one hash (71 ms against 420 ms over 2 million
 * runs for a pair by equality), and all words of a run in one text index. The entries of stored runs are computed once,
 * here. The writer supplies those of new runs: the engine takes 8 ms to prepare the expression, for every block of a
 * few hundred runs.
 */
export const metadataAndWords: Migration = {
  version: 3,
  name: 'metadata and words',
  statements: [
    'alter table runs add column if not exists metadata Array(Tuple(key String, value String)) codec(ZSTD(1))',
    `alter table runs add column if not exists metadata_pairs Array(UInt64)
      materialized arrayMap(e -> sipHash64(e.1, e.2), metadata)`,
    `alter table runs add column if not exists words String alias ${WORDS}`,
    'alter table runs drop index if exists inputs_words',
    'alter table runs drop index if exists outputs_words',
    `alter table runs add index if not exists words words type text(tokenizer = 'splitByNonAlpha') granularity 100000000`,
    'alter table runs add index if not exists metadata_pairs metadata_pairs type bloom_filter(0.01) granularity 1',
    'alter table runs add index if not exists metadata_values metadata.value type bloom_filter(0.01) granularity 1',
    `alter table runs update metadata = ${flattened("JSONExtractRaw(extra, 'metadata')", METADATA_DEPTH)}
      where extra != '' settings mutations_sync = 1`,
    'alter table runs materialize column metadata_pairs',
    'alter table runs materialize index words',
    'alter table runs materialize index metadata_pairs',
    'alter table runs materialize index metadata_values',
  ],
}
