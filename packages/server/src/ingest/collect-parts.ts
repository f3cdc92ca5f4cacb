import { isUtf8 } from 'node:buffer'
import type { Part } from '../http/multipart.ts'
import { TimeSlices } from '../time-slices.ts'
import { LARGE_BYTES, type RawRun, type RawText } from './open-run.ts'
import { PAYLOAD_FIELDS, type PayloadField } from './run-write.ts'

/** The parts of one request, sorted by kind. */
export interface Collected {
  readonly runs: readonly RawRun[]
  readonly attachments: readonly AttachmentPart[]
  readonly feedback: readonly FeedbackPart[]
  readonly problems: readonly IngestProblem[]
}

/** The reason why something of a request could not be stored. */
export interface IngestProblem {
  readonly run_id: string
  readonly error: string
  /** Name or id of the project, when the run names one. */
  readonly project?: string | undefined
  /** The reason is the size of a field or part. */
  readonly isTooLarge?: boolean
}

export interface AttachmentPart {
  readonly runId: string
  readonly name: string
  readonly part: Part
}

export interface FeedbackPart {
  readonly name: string
  readonly text: string
}

interface Gathering {
  readonly kind: 'post' | 'patch'
  readonly id: string
  main?: RawText
  readonly parts: Partial<Record<PayloadField | 'error', RawText>>
}

/**
 * Collects the parts of each run by the ids in their names, in any order: `post.{run}`, `patch.{run}`,
 * `{post|patch}.{run}.{field}`, `attachment.{run}.{name}`, `feedback.{any}`.
 *
 * @param maxPartBytes  a larger JSON part fails its run, not the request
 * @param maxAttachmentBytes  likewise for one attachment
 */
export async function collectParts(
  parts: Iterable<Part>,
  limits: { readonly maxPartBytes: number; readonly maxAttachmentBytes: number },
): Promise<Collected> {
  const slices = new TimeSlices()
  const runs = new Map<string, Gathering>()
  const attachments: AttachmentPart[] = []
  const feedback: FeedbackPart[] = []
  const problems: IngestProblem[] = []
  const unusable = new Set<string>()

  for (const part of parts) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    const [kind = '', id = '', ...rest] = part.name.split('.')
    const field = rest.join('.')
    const limit = kind === 'attachment' ? limits.maxAttachmentBytes : limits.maxPartBytes
    if (part.bytes.length > limit) {
      problems.push({
        run_id: id,
        error: `part ${part.name} has ${part.bytes.length} bytes, more than the limit of ${limit}`,
        isTooLarge: true,
      })
      if (kind !== 'attachment') unusable.add(`${kind}.${id}`)
    } else if (kind === 'attachment' && field !== '') attachments.push({ runId: id, name: field, part })
    else if (!isUtf8(part.bytes)) {
      // Decoding would silently put replacement characters into users' data.
      problems.push({ run_id: id, error: `part ${part.name} is not valid UTF-8` })
      unusable.add(`${kind}.${id}`)
    } else if (kind === 'feedback') feedback.push({ name: part.name, text: part.bytes.toString('utf8') })
    else if (kind !== 'post' && kind !== 'patch')
      problems.push({ run_id: id, error: `part ${part.name} has an unknown name` })
    else if (field === '') gather(runs, kind, id).main = rawText(part)
    else if (isField(field)) gather(runs, kind, id).parts[field] = rawText(part)
    else problems.push({ run_id: id, error: `part ${part.name} names no field of a run` })
  }
  const kept = whole(runs, unusable, problems)
  const toProject = ({ run_id }: IngestProblem) =>
    findProject(runs.get(`post.${run_id}`) ?? runs.get(`patch.${run_id}`))
  return {
    runs: kept,
    attachments,
    feedback,
    problems: problems.map((problem) => ({ ...problem, project: toProject(problem) })),
  }
}

const rawText = ({ bytes }: Part): RawText => (bytes.length > LARGE_BYTES ? bytes : bytes.toString('utf8'))

function gather(runs: Map<string, Gathering>, kind: 'post' | 'patch', id: string): Gathering {
  const key = `${kind}.${id}`
  let run = runs.get(key)
  if (run === undefined) {
    run = { kind, id, parts: {} }
    runs.set(key, run)
  }
  return run
}

/**
 * Name or id of the project that a run names, for the receipt of a run that cannot be stored. Looks only at the main part,
 * up to 64 kB from its start; a created run that names none goes to `default`.
 */
export function findProject(
  run: (Pick<RawRun, 'kind'> & { readonly main?: RawText | undefined }) | undefined,
): string | undefined {
  if (run?.main === undefined) return undefined
  const { main } = run
  const text = typeof main === 'string' ? main.slice(0, PROJECT_WITHIN) : main.toString('utf8', 0, PROJECT_WITHIN)
  const named = /"session_(?:name|id)"\s*:\s*("(?:[^"\\]|\\.){1,400}")/.exec(text)?.[1]
  if (named === undefined) return run.kind === 'post' ? 'default' : undefined
  try {
    return String(JSON.parse(named))
  } catch {
    return undefined
  }
}

const PROJECT_WITHIN = 64 * 1024

/** Fields without their main part are an update of these fields. */
function whole(
  runs: ReadonlyMap<string, Gathering>,
  unusable: ReadonlySet<string>,
  problems: IngestProblem[],
): RawRun[] {
  const kept: RawRun[] = []
  for (const [key, run] of runs) {
    if (unusable.has(key)) continue
    if (run.main === undefined && run.kind === 'post') {
      problems.push({ run_id: run.id, error: `part post.${run.id} is missing` })
    } else kept.push({ kind: run.kind, id: run.id, main: run.main ?? '{}', parts: run.parts })
  }
  return kept
}

function isField(field: string): field is PayloadField | 'error' {
  return field === 'error' || (PAYLOAD_FIELDS as readonly string[]).includes(field)
}
