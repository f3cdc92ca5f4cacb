import { ApiError, type ReceiptItem, timeOfEpochMs } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { columnTime } from '../../storage/analytics/sql.ts'

/** Receipts of ingest requests, kept in memory until the background writes them. */
export interface Receipts {
  add(row: ReceiptRow): void
  /** Writes what is waiting, so that a lookup sees it. A failure is logged; receipts never fail a request. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface ReceiptRow {
  readonly json: string
}

/** What a handler tells about the items of its request. */
export interface ReceiptNotes {
  accept(run: AcceptedRun): void
  /** @param problem  its reason is cut to 500 characters */
  reject(problem: { readonly id: string; readonly project?: string | undefined; readonly reason: string }): void
  /** Something of a stored item was cut or dropped, by the sender or by this server. */
  warn(warning: { readonly id: string; readonly project?: string | undefined; readonly reason: string }): void
  /** What the sender reports about itself. Bounded text; the first one counts. */
  describeSender(sender: { readonly sdk?: string | undefined; readonly samplingRate?: number | undefined }): void
}

export interface AcceptedRun {
  readonly id: string
  readonly traceId?: string | undefined
  /** Name or id. */
  readonly project?: string | undefined
}

const MAX_IDS = 10_000
const MAX_ITEMS = 100
const MAX_PROJECTS = 50
const MAX_REASON = 500
const MAX_TEXT = 200
/** Bounds of what waits in memory. */
const MAX_WAITING = 5_000
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const FLUSH_MS = 1_000

/** Opens the buffer. Beyond its bounds new receipts are dropped, and their number is logged. */
export function openReceipts({ analytics, log }: Pick<Deps, 'analytics' | 'log'>): Receipts {
  let waiting: ReceiptRow[] = []
  let waitingBytes = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const rows = waiting
    waiting = []
    waitingBytes = 0
    if (dropped > 0) log.warn({ dropped }, 'ingest receipts were dropped because too many were waiting')
    dropped = 0
    if (rows.length === 0) return
    try {
      await analytics.insert('ingest_receipts', rows)
    } catch (error) {
      log.warn({ err: error, lost: rows.length }, 'ingest receipts could not be written')
    }
  }
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  return {
    add(row) {
      if (waiting.length >= MAX_WAITING || waitingBytes + row.json.length > MAX_WAITING_BYTES) {
        dropped++
        return
      }
      waiting.push(row)
      waitingBytes += row.json.length
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
    },
    flush,
    close: flush,
  }
}

/**
 * Answers an ingest request and records its receipt, also when the handler refuses the whole request. Costs the request
 * no write: the receipt is written in the background, about a second later.
 *
 * @param work  is given the notes; every run or span that it accepts, rejects or changes belongs into them
 * @returns the result of `work`; its errors pass through
 * @example recordReceipt(deps, { caller, request }, (notes) => receiveSpans(deps, caller, body, notes))
 */
export async function recordReceipt<Result>(
  deps: ReceiptDeps,
  { caller, request }: { readonly caller: Caller; readonly request: FastifyRequest },
  work: (notes: ReceiptNotes) => Promise<Result>,
): Promise<Result> {
  const draft = new ReceiptDraft(deps.clock())
  const add = (status: number, error: string) =>
    deps.receipts.add({ json: draft.print(deps.ids(), { ...describeRequest(caller, request), status, error }) })
  try {
    const result = await work(draft)
    add(request.routeOptions.config.route?.status ?? 200, '')
    return result
  } catch (error) {
    add(...(error instanceof ApiError ? ([error.status, error.message] as const) : ([500, INTERNAL] as const)))
    throw error
  }
}

/** A receipt of items that the store refused after their requests were acknowledged. */
export function printLateReceipt(
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  tenantId: string,
  problems: readonly { readonly id: string; readonly reason: string }[],
): string {
  const draft = new ReceiptDraft(clock())
  for (const problem of problems) draft.reject(problem)
  return draft.print(ids(), {
    tenantId,
    route: 'after the acknowledgement',
    status: 500,
    sender: null,
    apiKeyId: null,
    userAgent: '',
    error: 'Items of earlier requests were accepted and could not be stored; the reasons stand beside their ids.',
  })
}

export type ReceiptDeps = Pick<Deps, 'clock' | 'ids'> & { readonly receipts: Receipts }

const INTERNAL = 'The server could not store the request; see its log.'

/** What a receipt contains besides its items. */
interface Described {
  readonly tenantId: string
  readonly route: string
  readonly status: number
  readonly sender: string | null
  readonly apiKeyId: string | null
  readonly userAgent: string
  readonly error: string
}

function describeRequest(caller: Caller, request: FastifyRequest): Omit<Described, 'status' | 'error'> {
  return {
    tenantId: caller.tenantId,
    route: `${request.method} ${request.routeOptions.url ?? ''}`,
    sender: caller.actorName ?? null,
    apiKeyId: caller.kind === 'key' ? (caller.actorId ?? null) : null,
    userAgent: request.headers['user-agent'] ?? '',
  }
}

class ReceiptDraft implements ReceiptNotes {
  private readonly ids = new Set<string>()
  private readonly projects = new Set<string>()
  private readonly items: ReceiptItem[] = []
  private accepted = 0
  private rejected = 0
  private warnings = 0
  private sdk: string | undefined
  private samplingRate: number | undefined

  constructor(private readonly receivedAt: number) {}

  accept({ id, traceId, project }: AcceptedRun): void {
    this.accepted++
    this.name(id, project)
    if (traceId !== undefined) this.name(traceId, undefined)
  }

  reject({ id, project, reason }: Parameters<ReceiptNotes['reject']>[0]): void {
    this.rejected++
    this.note('rejected', id, project, reason)
  }

  warn({ id, project, reason }: Parameters<ReceiptNotes['warn']>[0]): void {
    this.warnings++
    this.note('warning', id, project, reason)
  }

  describeSender({ sdk, samplingRate }: Parameters<ReceiptNotes['describeSender']>[0]): void {
    this.sdk ??= sdk
    this.samplingRate ??= samplingRate
  }

  print(id: string, about: Described): string {
    const { status, error } = about
    const isRefused = status >= 400
    return JSON.stringify({
      tenant_id: about.tenantId,
      received_at: columnTime(timeOfEpochMs(this.receivedAt)),
      id,
      route: about.route.slice(0, MAX_TEXT),
      status,
      sender: about.sender?.toWellFormed().slice(0, MAX_TEXT) ?? null,
      api_key_id: about.apiKeyId,
      user_agent: about.userAgent.slice(0, MAX_TEXT),
      sdk: (this.sdk ?? '').slice(0, MAX_TEXT),
      sampling_rate: this.samplingRate ?? null,
      projects: [...this.projects],
      accepted: isRefused ? 0 : this.accepted,
      rejected: isRefused ? Math.max(1, this.rejected) : this.rejected,
      warnings: this.warnings,
      error: cut(error),
      ids: [...this.ids],
      items: JSON.stringify(this.items),
    })
  }

  private note(outcome: ReceiptItem['outcome'], id: string, project: string | undefined, reason: string): void {
    this.name(id, project)
    if (this.items.length >= MAX_ITEMS) return
    this.items.push({ id: shorten(id), outcome, project: shorten(project ?? ''), reason: cut(reason) })
  }

  private name(id: string, project: string | undefined): void {
    if (id !== '' && this.ids.size < MAX_IDS) this.ids.add(shorten(id).toLowerCase())
    if (project && this.projects.size < MAX_PROJECTS) this.projects.add(shorten(project))
  }
}

const shorten = (text: string) => text.slice(0, MAX_TEXT).toWellFormed()
const cut = (text: string) => (text.length > MAX_REASON ? `${text.slice(0, MAX_REASON - 1)}…` : text).toWellFormed()
