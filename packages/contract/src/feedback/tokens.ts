import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { offsetPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import { FeedbackConfig, FeedbackKey, feedbackContent } from './feedback.ts'

const parts = z.number().min(0, 'is negative')

export const FeedbackTokenCreate = z.object({
  /** The run may not have arrived yet. */
  run_id: Uuid,
  feedback_key: FeedbackKey,
  /** Recorded as the key's config when the key has none yet. */
  feedback_config: FeedbackConfig.nullish(),
  /** @default 3 hours */
  expires_in: z.object({ days: parts.nullish(), hours: parts.nullish(), minutes: parts.nullish() }).nullish(),
  /** Wins over `expires_in`. */
  expires_at: Time.nullish(),
  /** Id of the feedback that the token will write. */
  id: Uuid.nullish(),
})
export type FeedbackTokenCreate = z.output<typeof FeedbackTokenCreate>

/** A URL that writes one feedback record, by GET or POST, without a key, until it expires. */
export const FeedbackToken = z.object({
  id: z.string(),
  url: z.string(),
  expires_at: z.string(),
  feedback_key: z.string(),
})
export type FeedbackToken = z.infer<typeof FeedbackToken>

const { score, value, comment, correction } = feedbackContent

/** Body of a POST to a token's URL. */
export const FeedbackTokenUse = z.preprocess(
  (body) => body ?? {},
  z.object({
    score,
    value,
    comment,
    correction,
    /** Goes into `feedback_source.metadata`. */
    metadata: z.record(z.string(), z.unknown()).nullish(),
  }),
)
export type FeedbackTokenUse = z.output<typeof FeedbackTokenUse>

/** Numbers and booleans as a query string has them; other text is itself. */
const queryValue = (text: unknown) => {
  if (typeof text !== 'string') return text
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return text !== '' && Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : text
}
const queryScore = (text: unknown) =>
  typeof text === 'string' && /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : queryValue(text)

/** Feedback as the query of a link has it. */
const linkContent = {
  score: z.preprocess(queryScore, score),
  value: z.preprocess(queryValue, value),
  comment,
  correction,
}

const token = z.object({ token: z.string() })
const tag = 'feedback'

export const feedbackTokenRoutes = describeRoutes(routes.feedbackTokens, tag, {
  create: {
    summary: 'Create links that give feedback on a run without a key; a list of requests returns a list',
    body: z.preprocess((body) => [body].flat(), z.array(FeedbackTokenCreate).max(1000, 'has more than 1000 requests')),
    answer: z.union([FeedbackToken, z.array(FeedbackToken)]),
  },
  /** A list of links is as good as the right to write, so a key that may only read does not see it. */
  list: {
    summary: 'Links of a run that have not expired, newest first',
    query: z.object({ run_id: Uuid, ...offsetPage }),
    answer: z.array(FeedbackToken),
  },
  useByGet: {
    summary: 'Give feedback through a link; a browser that opens it is asked first, by a page with a button',
    params: token,
    query: z.object({
      ...linkContent,
      /** Ask by the page whatever calls: for links in messages, which scanners open. Ours. */
      ask: z.stringbool().optional(),
    }),
    answer: z.object({ message: z.string() }),
  },
  confirm: {
    extension: true,
    summary: 'What the button of that page does; answers a browser with a page',
    params: token,
    query: z.object(linkContent),
    answer: z.object({ message: z.string() }),
  },
  use: {
    summary: 'Give feedback through a link',
    params: token,
    body: FeedbackTokenUse,
    answer: z.object({ message: z.string() }),
  },
  revoke: {
    extension: true,
    summary: 'Revoke a link; feedback that it gave stays',
    params: token,
  },
})
