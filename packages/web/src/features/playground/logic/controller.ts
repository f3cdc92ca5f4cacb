import type { PlaygroundEvent } from '@touchstone/contract'
import { createStore, type Store } from '#lib/store.ts'
import { type Answer, applyEvent, interrupt, isBusy, WAITING, withoutParameter } from './answers.ts'
import { listUses, listVariableRows, toValues } from './variables.ts'
import {
  MAX_REPEATS,
  MAX_VARIANTS,
  newVariant,
  printFingerprint,
  readVariant,
  type SentVariant,
  type Variant,
} from './variant.ts'

/** Answers of one start of a variant, with what was sent. */
export interface VariantRun {
  readonly id: number
  /** ISO 8601. */
  readonly startedAt: string
  readonly variant: Variant
  readonly values: Readonly<Record<string, unknown>>
  /** One for each repeat. */
  readonly answers: readonly Answer[]
}

/** What the page was filled from; answers of tools are offered from there. */
export interface PlaygroundOrigin {
  /** The recorded run that was opened. */
  readonly runId?: string | undefined
  /** The row of a dataset whose values were taken. */
  readonly example?: { readonly datasetId: string; readonly exampleId: string } | undefined
}

/** Everything on the page that a draft keeps. */
export interface PlaygroundState {
  readonly variants: readonly Variant[]
  /** Texts of the variables. */
  readonly values: Readonly<Record<string, string>>
  readonly repeats: number
  /** By key of the variant, the newest last. */
  readonly runs: Readonly<Record<string, readonly VariantRun[]>>
  readonly origin: PlaygroundOrigin
}

export interface RunRequest extends SentVariant {
  readonly name: string
  readonly providerId: string
  readonly model: string
  readonly format: Variant['format']
  readonly prompt: Variant['prompt']
  readonly values: Readonly<Record<string, unknown>>
  readonly repeats: number
}

export interface ControllerOptions {
  /** Streams the answers of one variant; ends when all have ended. */
  readonly run: (request: RunRequest, onEvent: (event: PlaygroundEvent) => void, signal: AbortSignal) => Promise<void>
  /** Calls back before the next frame. */
  readonly nextFrame: (callback: () => void) => void
  readonly now?: () => Date
}

/** Runs of each variant that are kept. */
export const MAX_HISTORY = 20
/** Browsers open six connections to a server at once; one stays free for everything else. */
const MAX_STREAMS = 5

export const EMPTY_STATE: PlaygroundState = {
  variants: [newVariant('1')],
  values: {},
  repeats: 1,
  runs: {},
  origin: {},
}

/** The playground without its page: variants, values, answers, and the calls that are under way. */
export class PlaygroundController {
  readonly store: Store<PlaygroundState>
  readonly #options: ControllerOptions
  readonly #calls = new Map<string, AbortController>()
  readonly #queue: (() => void)[] = []
  readonly #pending: (readonly [key: string, id: number, event: PlaygroundEvent])[] = []
  #streams = 0
  #nextId: number

  constructor(options: ControllerOptions, initial: PlaygroundState = EMPTY_STATE) {
    this.#options = options
    this.#nextId = findNextId(initial)
    this.store = createStore(() => initial)
  }

  /** Replaces everything; calls that are under way end. */
  load(state: PlaygroundState): void {
    this.stopAll()
    this.#nextId = findNextId(state)
    this.store.write(state)
  }

  change(key: string, change: (variant: Variant) => Variant): void {
    this.#update(({ variants }) => ({ variants: variants.map((one) => (one.key === key ? change(one) : one)) }))
  }

  setRepeats(repeats: number): void {
    this.#update(() => ({ repeats: Math.min(Math.max(1, Math.trunc(repeats) || 1), MAX_REPEATS) }))
  }

  setValue(name: string, text: string): void {
    this.#update(({ values }) => ({ values: { ...values, [name]: text } }))
  }

  /** Puts a prompt in place of that of a variant, or of a new one. Values that are there already stay. */
  open(key: string | undefined, variant: Variant, texts: Readonly<Record<string, string>>): string | undefined {
    const { key: _key, name: _name, ...opened } = variant
    const place = key ?? this.add(opened)
    if (place === undefined) return undefined
    if (key !== undefined) this.change(key, (one) => ({ ...one, ...opened }))
    this.#update(({ values }) => ({ values: { ...texts, ...values } }))
    return place
  }

  /** Takes values from a row of a dataset. Other values stay. */
  takeExample(example: NonNullable<PlaygroundOrigin['example']>, texts: Readonly<Record<string, string>>): void {
    this.#update(({ values, origin }) => ({ values: { ...values, ...texts }, origin: { ...origin, example } }))
  }

  removeValue(name: string): void {
    this.#update(({ values }) => {
      const { [name]: _removed, ...others } = values
      return { values: others }
    })
  }

  /** Adds a copy of a variant, or the given one, at the end. @returns its key; undefined when there is no place */
  add(from?: Partial<Variant>): string | undefined {
    const { variants } = this.store.read()
    if (variants.length >= MAX_VARIANTS) return undefined
    const key = String(Math.max(0, ...variants.map((one) => Number(one.key) || 0)) + 1)
    const { key: _key, name: _name, ...copied }: Partial<Variant> = from ?? variants.at(-1) ?? {}
    this.#update(() => ({ variants: [...variants, newVariant(key, copied)] }))
    return key
  }

  remove(key: string): void {
    this.stop(key)
    this.#update(({ variants, runs }) => {
      const { [key]: _removed, ...others } = runs
      return variants.length === 1 ? {} : { variants: variants.filter((one) => one.key !== key), runs: others }
    })
  }

  isRunning(key: string): boolean {
    return (getLatest(this.store.read(), key)?.answers ?? []).some(isBusy)
  }

  /** Starts every variant that can be sent and does not run. @returns keys of those that cannot be sent */
  runAll(): string[] {
    const { variants } = this.store.read()
    return variants.filter(({ key }) => !this.isRunning(key) && !this.run(key)).map(({ key }) => key)
  }

  /** @returns whether the variant can be sent */
  run(key: string): boolean {
    const state = this.store.read()
    const variant = state.variants.find((one) => one.key === key)
    const read = variant && readVariant(variant)
    if (variant === undefined || read === undefined || 'problems' in read || this.isRunning(key)) return false
    const values = pickValues(state, variant)
    const id = this.#nextId++
    const startedAt = (this.#options.now?.() ?? new Date()).toISOString()
    const answers = Array.from({ length: state.repeats }, () => WAITING)
    const runs = [...(state.runs[key] ?? []), { id, startedAt, variant, values, answers }].slice(-MAX_HISTORY)
    this.#update(() => ({ runs: { ...state.runs, [key]: runs } }))
    const { name, providerId, model, format, prompt } = variant
    const request = { ...read.sent, name, providerId, model, format, prompt, values, repeats: state.repeats }
    const call = new AbortController()
    this.#calls.set(key, call)
    this.#enqueue(() => this.#stream(key, id, request, call))
    return true
  }

  /** Ends the calls of a variant; what has arrived stays. */
  stop(key: string): void {
    this.#flush()
    this.#calls.get(key)?.abort()
    this.#calls.delete(key)
    this.#changeAnswers(key, (run) => run.answers.map((answer) => interrupt(answer, 'stopped')))
  }

  stopAll(): void {
    for (const key of [...this.#calls.keys()]) this.stop(key)
  }

  /** Removes a parameter that the provider rejects, and runs again. @returns whether the variant had it */
  retryWithout(key: string, parameter: string): boolean {
    const variant = this.store.read().variants.find((one) => one.key === key)
    const changed = variant && withoutParameter(variant, parameter)
    if (changed === undefined) return false
    this.change(key, () => changed)
    return this.run(key)
  }

  #enqueue(start: () => Promise<void>): void {
    const begin = () => {
      this.#streams++
      void start().finally(() => {
        this.#streams--
        this.#queue.shift()?.()
      })
    }
    if (this.#streams < MAX_STREAMS) begin()
    else this.#queue.push(begin)
  }

  async #stream(key: string, id: number, request: RunRequest, call: AbortController): Promise<void> {
    if (call.signal.aborted) return
    let failure: string | undefined
    try {
      await this.#options.run(request, (event) => this.#receive(key, id, event), call.signal)
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
    }
    if (call.signal.aborted) return
    this.#flush()
    this.#changeAnswers(key, (run) =>
      run.id === id ? run.answers.map((answer) => interrupt(answer, 'failed', failure)) : run.answers,
    )
    if (this.#calls.get(key) === call) this.#calls.delete(key)
  }

  /** Many events arrive within a frame; the page is drawn once for all of them. */
  #receive(key: string, id: number, event: PlaygroundEvent): void {
    this.#pending.push([key, id, event])
    if (this.#pending.length === 1) this.#options.nextFrame(() => this.#flush())
  }

  #flush(): void {
    const events = this.#pending.splice(0)
    if (events.length === 0) return
    this.#update(({ runs }) => {
      const next: Record<string, readonly VariantRun[]> = { ...runs }
      for (const [key, id, event] of events) {
        next[key] = (next[key] ?? []).map((run) => (run.id === id ? withEvent(run, event) : run))
      }
      return { runs: next }
    })
  }

  #changeAnswers(key: string, change: (run: VariantRun) => readonly Answer[]): void {
    const latest = getLatest(this.store.read(), key)
    if (latest === undefined || !latest.answers.some(isBusy)) return
    this.#update(({ runs }) => ({
      runs: {
        ...runs,
        [key]: (runs[key] ?? []).map((run) => (run === latest ? { ...run, answers: change(run) } : run)),
      },
    }))
  }

  #update(change: (state: PlaygroundState) => Partial<PlaygroundState>): void {
    const state = this.store.read()
    this.store.write({ ...state, ...change(state) })
  }
}

/** An id that no run of a state has, also of those that were saved with a draft. */
const findNextId = ({ runs }: PlaygroundState): number =>
  Math.max(0, ...Object.values(runs).flatMap((all) => all.map(({ id }) => id))) + 1

function withEvent(run: VariantRun, event: PlaygroundEvent): VariantRun {
  const answers = run.answers.map((answer, at) => (at === event.repeat ? applyEvent(answer, event) : answer))
  return { ...run, answers }
}

/** The newest run of a variant. */
export const getLatest = ({ runs }: PlaygroundState, key: string): VariantRun | undefined => runs[key]?.at(-1)

/** The values that a variant uses. */
function pickValues({ variants, values }: PlaygroundState, variant: Variant): Record<string, unknown> {
  const used = new Set(listUses(variant).map(({ name }) => name))
  const all = toValues(listVariableRows(variants, values))
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)))
}

/** Whether the variant or a value that it uses has changed since a run. */
export function isStale(state: PlaygroundState, variant: Variant, run: VariantRun): boolean {
  const isSameVariant = run.variant === variant || printFingerprint(run.variant) === printFingerprint(variant)
  return !isSameVariant || JSON.stringify(run.values) !== JSON.stringify(pickValues(state, variant))
}

/** Whether an answer to a run can be added to the variant without the loss of an edit of its messages. */
export function canContinue({ messages, format }: Variant, { variant }: VariantRun): boolean {
  if (format !== variant.format) return false
  return messages === variant.messages || JSON.stringify(messages) === JSON.stringify(variant.messages)
}
