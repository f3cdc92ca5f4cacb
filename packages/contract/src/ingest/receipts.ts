import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'

/** Hours that receipts are kept. */
export const RECEIPT_HOURS = 24

/** What happened with one item of a request. Accepted items without a warning have no entry. */
export const ReceiptItem = z.object({
  /** Id of the run or span as it was sent; '' when it could not be read. */
  id: z.string(),
  /** `rejected`: not stored. `warning`: stored, and something of it was cut or dropped. */
  outcome: z.enum(['rejected', 'warning']),
  /** Name or id of the project that it was sent to; '' when unknown. */
  project: z.string(),
  /** At most 500 characters. */
  reason: z.string(),
})
export type ReceiptItem = z.infer<typeof ReceiptItem>

/** One ingest request. */
export const RequestReceipt = z.object({
  id: z.string(),
  received_at: z.string(),
  /** Method and path of the route. */
  route: z.string(),
  /** Status of the answer. */
  status: z.int(),
  /** Name of the key or person; null for an open server. */
  sender: z.string().nullable(),
  /** Id of the API key; null for other senders. */
  api_key_id: z.string().nullable(),
  /** First and last characters of the key; null for other senders and revoked keys. */
  short_key: z.string().nullable(),
  user_agent: z.string(),
  /** Name and version of the SDK, as its runs name it; '' when they do not. */
  sdk: z.string(),
  /** Share of the traces that the client records, as its runs name it; null when they do not. */
  sampling_rate: z.number().nullable(),
  /** Names or ids of the projects, as they were sent; at most 50. */
  projects: z.array(z.string()),
  accepted: z.int(),
  rejected: z.int(),
  warnings: z.int(),
  /** Why the whole request was refused; '' otherwise. */
  error: z.string(),
  /** The first 100 rejected items and warnings. */
  items: z.array(ReceiptItem),
})
export type RequestReceipt = z.infer<typeof RequestReceipt>

export const RequestReceiptList = z.object({
  /** Newest first. */
  receipts: z.array(RequestReceipt),
  /** Rejected items of all pages. Requests that were refused whole and name no item count as one. */
  rejected_total: z.int(),
  next_cursor: z.string().nullable(),
})
export type RequestReceiptList = z.infer<typeof RequestReceiptList>

/** Where a run or trace is. */
export const TraceWhereabouts = z.object({
  id: z.string(),
  /** `stored` also when other items of it were rejected. */
  outcome: z.enum(['stored', 'rejected', 'unknown']),
  /** The run with this id, or the first run of the trace; null when none is stored. */
  stored: z
    .object({ run_id: z.string(), trace_id: z.string(), session_id: z.string(), start_time: z.string() })
    .nullable(),
  /** The newest 20 requests that name the id. */
  receipts: z.array(RequestReceipt),
  /** Sampling rates below 1 that clients of the last 24 hours named. */
  sampling_rates: z.array(z.number()),
})
export type TraceWhereabouts = z.infer<typeof TraceWhereabouts>

/** Runs and attachments that the store refused after they were acknowledged. They are kept in files of the server. */
export const RefusedRuns = z.object({
  total: z.int(),
  /** The first 100, oldest first. */
  items: z.array(
    z.object({
      /** When it was refused. */
      at: z.string(),
      /** Id of the run; null for an attachment. */
      id: z.string().nullable(),
      reason: z.string(),
    }),
  ),
})
export type RefusedRuns = z.infer<typeof RefusedRuns>

export const RetriedRuns = z.object({
  /** Acknowledged again. */
  accepted: z.int(),
  /** Refused again at once. */
  refused: z.int(),
})
export type RetriedRuns = z.infer<typeof RetriedRuns>

export const ingestReceiptRoutes = describeRoutes(routes.ingestReceipts, 'ingest', {
  list: {
    extension: true,
    summary:
      'Ingest requests of the last 24 hours, newest first: who sent them, what was stored, what was rejected and why',
    query: z.object({
      /** Id of a run or trace. */
      id: z.string().max(200).optional(),
      /** Id of a project. */
      project: Uuid.optional(),
      /** Id of an API key. */
      api_key: Uuid.optional(),
      outcome: z.enum(['accepted', 'rejected', 'warning']).optional(),
      /** Only of the last so many minutes. */
      minutes: clamped(1, RECEIPT_HOURS * 60, RECEIPT_HOURS * 60),
      /** `next_cursor` of the previous page. */
      cursor: z.string().max(100).optional(),
      limit: clamped(1, 100, 50),
    }),
    answer: RequestReceiptList,
  },
  listRefused: {
    extension: true,
    summary: 'Runs that the store refused after they were acknowledged; the server keeps them',
    answer: RefusedRuns,
  },
  retryRefused: {
    extension: true,
    summary: 'Store the refused runs again, as if they had just been sent',
    answer: RetriedRuns,
  },
  where: {
    extension: true,
    summary: 'Whether a run or trace is stored, was rejected, or is unknown',
    params: z.object({ id: z.string().max(200) }),
    answer: TraceWhereabouts,
  },
})
