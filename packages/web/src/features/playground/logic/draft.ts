import { formatBytes } from '#lib/format.ts'
import { type Answer, interrupt } from './answers.ts'
import type { PlaygroundOrigin, PlaygroundState, VariantRun } from './controller.ts'
import { asFields, type JsonFields, MAX_VARIANTS, newVariant, toFields, type Variant } from './variant.ts'

/** Longest draft as JSON text, below what the server takes. */
export const MAX_DRAFT = 4_900_000
/** Characters of all images together, so that prompts and answers find space beside them. */
export const MAX_IMAGES = 4_000_000

/** Texts from this length on are stored once. */
const MIN_IMAGE = 1_000
const REFERENCE = 'draft-image:'

/**
 * What is saved: everything with the newest answers, or without them when they are too long. Raw requests are not saved. An
 * image is saved once, although variants and their runs have copies of it.
 */
export function toDraftBody(state: PlaygroundState): JsonFields {
  const runs = Object.entries(state.runs).map(([key, all]) => [key, all.slice(-1).map(toSavedRun)])
  const images = new Map<string, string>()
  const store = (value: unknown): unknown => mapStrings(value, (text) => storeImage(images, text))
  const body = {
    version: 2,
    variants: store(state.variants),
    values: store(state.values),
    repeats: state.repeats,
    origin: state.origin,
    runs: store(Object.fromEntries(runs)),
  }
  const whole = { ...body, images: toImageFields(images) }
  if (JSON.stringify(whole).length <= MAX_DRAFT) return whole
  const ofVariants = new Map<string, string>()
  mapStrings([state.variants, state.values], (text) => storeImage(ofVariants, text))
  return { ...body, runs: {}, images: toImageFields(ofVariants) }
}

/** Why a draft cannot be saved; undefined if it can. */
export function findDraftProblem(body: JsonFields): string | undefined {
  const size = JSON.stringify(body).length
  if (size <= MAX_DRAFT) return undefined
  const images = JSON.stringify(body.images ?? {}).length
  const advice =
    images > size / 2 ? `remove images, which have ${formatBytes(images)}` : 'shorten messages or variables'
  return `the draft has ${formatBytes(size)} of at most ${formatBytes(MAX_DRAFT)}. To save it, ${advice}. It can be run as it is.`
}

/** Characters that another image may have. */
export function findImageSpace({ variants, values }: PlaygroundState): number {
  const images = new Map<string, string>()
  mapStrings([variants, values], (text) => storeImage(images, text))
  return Math.max(0, MAX_IMAGES - [...images.keys()].reduce((sum, { length }) => sum + length, 0))
}

/** The state of a saved draft; undefined for a body that this version cannot read. */
export function fromDraftBody(body: JsonFields): PlaygroundState | undefined {
  const { version, repeats } = body
  if (version !== 1 && version !== 2) return undefined
  const images = toFields(body.images)
  const restore = (value: unknown) => mapStrings(value, (text) => restoreImage(images, text))
  const variants = restore(body.variants)
  if (!Array.isArray(variants) || variants.length === 0) return undefined
  return {
    variants: (variants as Variant[]).slice(0, MAX_VARIANTS).map((variant) => newVariant(variant.key, variant)),
    values: toFields(restore(body.values)) as PlaygroundState['values'],
    repeats: typeof repeats === 'number' ? repeats : 1,
    runs: toFields(restore(body.runs)) as unknown as PlaygroundState['runs'],
    origin: readOrigin(body.origin),
  }
}

function readOrigin(value: unknown): PlaygroundOrigin {
  const { runId, example } = toFields(value)
  const { datasetId, exampleId } = toFields(example)
  return {
    ...(typeof runId === 'string' && { runId }),
    ...(typeof datasetId === 'string' && typeof exampleId === 'string' && { example: { datasetId, exampleId } }),
  }
}

function toSavedRun(run: VariantRun): VariantRun {
  const answers = run.answers.map((answer): Answer => {
    const { figures, ...rest } = interrupt(answer, 'stopped')
    return figures === undefined ? rest : { ...rest, figures: { ...figures, raw_request: null, raw_reply: null } }
  })
  return { ...run, answers }
}

/** @param images  image → its reference */
function storeImage(images: Map<string, string>, text: string): string {
  if (text.length < MIN_IMAGE || !text.startsWith('data:')) return text
  const known = images.get(text) ?? `${REFERENCE}${images.size + 1}`
  images.set(text, known)
  return known
}

const toImageFields = (images: ReadonlyMap<string, string>) =>
  Object.fromEntries([...images].map(([image, reference]) => [reference, image]))

function restoreImage(images: JsonFields, text: string): string {
  const image = text.startsWith(REFERENCE) && Object.hasOwn(images, text) ? images[text] : undefined
  return typeof image === 'string' ? image : text
}

/** A copy of JSON whose texts are replaced. */
function mapStrings(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, replace))
  const fields = asFields(value)
  if (fields === undefined) return value
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, mapStrings(one, replace)]))
}
