import { z } from 'zod'
import * as routes from '../routes.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { clamped } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { datasetId } from './datasets.ts'

/** The version of a dataset that is searched, and the version of the last update of the index. */
export const DatasetIndex = z.object({ dataset_id: z.string(), tag: z.string(), last_updated_version: z.string() })
export type DatasetIndex = z.infer<typeof DatasetIndex>

/** Without `dataset_id`, because public Python clients add their own and accept no second one. */
export const SimilarExample = z.object({
  id: z.string(),
  inputs: JsonRecord,
  outputs: JsonRecord.nullable(),
  metadata: JsonRecord,
})
export type SimilarExample = z.infer<typeof SimilarExample>

export const SimilarQuery = z.object({
  inputs: JsonRecord,
  limit: z.preprocess((value) => value ?? undefined, clamped(1, 100, 5)),
  /** Filter language over `EXAMPLE_FILTERS`. */
  filter: z.string().nullish(),
  debug: z.boolean().nullish(),
})
export type SimilarQuery = z.output<typeof SimilarQuery>

const tag = 'dataset search'

export const datasetSearchRoutes = describeRoutes(routes.datasetSearch, tag, {
  index: {
    summary: 'Say which version is searched: that of a tag, or, as without an index, the newest',
    params: datasetId,
    body: z.object({ tag: z.string().min(1).nullish() }).nullish(),
  },
  readIndex: {
    summary: 'Which version is searched; 404 when nothing was indexed',
    params: datasetId,
    answer: DatasetIndex,
  },
  deleteIndex: {
    summary: 'Forget the index; the next search makes one of the newest version',
    params: datasetId,
    answer: z.null(),
  },
  syncIndex: {
    summary: 'Bring the index up to its version now; a search does the same',
    params: datasetId,
    answer: z.null(),
  },
  search: {
    summary:
      'Examples whose inputs share the most words with the ones given, best first; where too few do, others fill up',
    params: datasetId,
    body: SimilarQuery,
    answer: z.object({ examples: z.array(SimilarExample) }),
  },
})
