import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { historyPage } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'

/** Characters of a draft as JSON. */
export const MAX_DRAFT_LENGTH = 5_000_000

const Name = repairedText(200).trim().min(1, 'is empty')
const DraftBody = JsonRecord.refine((body) => JSON.stringify(body).length <= MAX_DRAFT_LENGTH, {
  error: `has more than ${MAX_DRAFT_LENGTH} characters`,
})

/** Work in the playground under a name, for all members of the workspace. The server does not read its body. */
export const PlaygroundDraft = z.object({
  id: z.string(),
  name: z.string(),
  /** Grows with each change. */
  version: z.int(),
  created_at: z.string(),
  created_by_name: z.string().nullable(),
  updated_at: z.string(),
  updated_by_name: z.string().nullable(),
})
export type PlaygroundDraft = z.infer<typeof PlaygroundDraft>

export const PlaygroundDraftDetail = PlaygroundDraft.extend({ body: z.record(z.string(), z.unknown()) })
export type PlaygroundDraftDetail = z.infer<typeof PlaygroundDraftDetail>

const tag = 'playground'
const extension = true
const draftPath = z.object({ draft_id: Uuid })

export const playgroundDraftRoutes = describeRoutes(routes.playgroundDrafts, tag, {
  list: {
    extension,
    summary: 'Drafts of the workspace without their bodies, changed last first',
    query: z.object(historyPage),
    answer: z.object({ drafts: z.array(PlaygroundDraft), total: z.int() }),
  },
  create: {
    extension,
    summary: 'Save a draft',
    body: z.object({ name: Name, body: DraftBody }),
    maxBodyBytes: BODY_LIMITS.record,
    answer: PlaygroundDraftDetail,
  },
  read: { extension, summary: 'One draft', params: draftPath, answer: PlaygroundDraftDetail },
  update: {
    extension,
    summary: 'Change a draft; 409 when `expected_version` is not its version',
    params: draftPath,
    body: z.object({
      name: Name.optional(),
      body: DraftBody.optional(),
      expected_version: z.int().min(1).max(1_000_000_000),
    }),
    maxBodyBytes: BODY_LIMITS.record,
    answer: PlaygroundDraft,
  },
  delete: { extension, summary: 'Delete a draft', params: draftPath },
})
