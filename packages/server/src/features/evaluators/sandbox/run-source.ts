import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core'

/** One run of a program. */
export interface SandboxRun {
  /** Defines `evaluate`. */
  readonly source: string
  /** JSON of the argument of `evaluate`. */
  readonly row: string
  readonly timeoutMs: number
}

/** JSON of what `evaluate` returned, or why there is none. */
export type SandboxOutcome = { readonly result: string } | { readonly failure: SandboxFailure }

export interface SandboxFailure {
  readonly code: 'javascript' | 'timeout' | 'memory' | 'invalid_result' | 'too_large' | 'cancelled'
  readonly message: string
  /** Line of the source, from 1; null when it is unknown. */
  readonly line: number | null
}

/** Bytes of an engine with all objects of its program. */
export const MEMORY_LIMIT = 64 * 1024 * 1024
/** Bytes of its stack: far below what the thread has, because an overflow of the thread would end the engine. */
const STACK_LIMIT = 256 * 1024
/** Characters of a result. */
const MAX_RESULT = 1_000_000
const FILE = 'evaluator.js'

/**
 * Runs before the program and keeps the functions that it needs, so that a program that replaces `JSON.stringify` or
 * `Array.prototype` changes only its own values. Each function returns a text.
 */
const HARNESS = `(() => {
  'use strict'
  const { parse, stringify } = JSON
  const { TypeError, InternalError, Error, String, isFinite } = globalThis
  const slice = Function.prototype.call.bind(String.prototype.slice)
  const nothing = () => {}
  globalThis.console = { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing }
  const refuse = (key, value) => {
    const kind = typeof value
    const name = key === '' ? 'The result' : '"' + key + '"'
    if (kind === 'function' || kind === 'symbol' || kind === 'bigint') throw new TypeError(name + ' is a ' + kind)
    if (kind === 'number' && !isFinite(value)) throw new TypeError(name + ' is ' + value + ', not a finite number')
    return value
  }
  const describe = (error) => {
    try {
      const isError = error instanceof Error
      const text = isError ? error.name + ': ' + error.message : 'threw ' + (stringify(error) ?? String(error))
      return slice(text, 0, 2000) + '\\u0001' + slice(String(isError ? error.stack : ''), 0, 5000)
    } catch (other) {
      return 'threw a value that cannot be shown'
    }
  }
  const print = (value) => {
    if (value === undefined) return '-It returned nothing.'
    let text
    try {
      text = stringify(value, refuse)
    } catch (error) {
      if (error instanceof InternalError) throw error
      return '-' + (error instanceof Error ? slice(String(error.message), 0, 500) : 'It cannot be written as JSON') + '.'
    }
    if (text === undefined) return '-It cannot be written as JSON.'
    return text.length > ${MAX_RESULT} ? '!' : '+' + text
  }
  return { parse, print, describe }
})()`

/** Functions of the harness are called by the host only. */
interface Harness {
  readonly parse: QuickJSHandle
  readonly print: QuickJSHandle
  readonly describe: QuickJSHandle
}

/**
 * Runs a program in a runtime of its own. The engine offers no modules, files, network and timers, and none are added.
 *
 * @returns `isReusable`: whether the engine may run further programs
 * @throws Error when the engine itself fails; it must not be used again then
 */
export function runSource(
  quickjs: QuickJSWASMModule,
  { source, row, timeoutMs }: SandboxRun,
): { readonly outcome: SandboxOutcome; readonly isReusable: boolean } {
  const clock = new Clock(timeoutMs)
  const runtime = quickjs.newRuntime({
    maxStackSizeBytes: STACK_LIMIT,
    interruptHandler: () => clock.isLate(),
  })
  const run = new Run(runtime, runtime.newContext(), clock, quickjs.getWasmMemory() as Memory)
  const outcome = run.evaluate(source, row)
  if (clock.wasLate) return { outcome: { failure: aTimeout(timeoutMs) }, isReusable: false }
  // Freeing what a full heap contains may end the engine.
  if ('failure' in outcome && outcome.failure.code === 'memory') return { outcome, isReusable: false }
  return { outcome, isReusable: run.dispose() }
}

export const aTimeout = (timeoutMs: number): SandboxFailure => ({
  code: 'timeout',
  message: `It ran longer than ${timeoutMs} ms.`,
  line: null,
})

class Clock {
  readonly #deadline: number
  wasLate = false

  constructor(timeoutMs: number) {
    this.#deadline = performance.now() + timeoutMs
  }

  isLate(): boolean {
    this.wasLate ||= performance.now() > this.#deadline
    return this.wasLate
  }
}

/** Ends a run with a failure. */
class Failed extends Error {
  constructor(readonly failure: SandboxFailure) {
    super(failure.message)
  }
}

/** What is used of the engine's memory, whose type is that of browsers. */
interface Memory {
  readonly buffer: ArrayBufferLike
}

class Run {
  readonly #handles: QuickJSHandle[] = []

  constructor(
    readonly runtime: QuickJSRuntime,
    readonly context: QuickJSContext,
    readonly clock: Clock,
    readonly memory: Memory,
  ) {}

  /** @returns whether everything was freed */
  dispose(): boolean {
    try {
      for (const handle of this.#handles.splice(0).reverse()) handle.dispose()
      this.context.dispose()
      this.runtime.dispose()
      return true
    } catch {
      return false
    }
  }

  evaluate(source: string, row: string): SandboxOutcome {
    try {
      const harness = this.#openHarness()
      this.#take(this.context.evalCode(source, FILE), harness)
      const evaluate = this.#take(
        this.context.evalCode("typeof evaluate === 'function' ? evaluate : undefined", 'lookup.js'),
        harness,
      )
      if (this.context.typeof(evaluate) !== 'function') {
        const message = 'The source defines no function "evaluate".'
        throw new Failed({ code: 'javascript', message, line: null })
      }
      const argument = this.#call(harness.parse, this.#keep(this.context.newString(row)), harness)
      const result = this.#settle(this.#call(evaluate, argument, harness), harness)
      return readPrinted(this.context.getString(this.#call(harness.print, result, harness)))
    } catch (error) {
      if (error instanceof Failed) return { failure: error.failure }
      throw error
    }
  }

  #isFull(): boolean {
    return this.memory.buffer.byteLength > 0.8 * MEMORY_LIMIT
  }

  #openHarness(): Harness {
    const made = this.context.evalCode(HARNESS, 'harness.js')
    if (made.error) throw new Error('The harness of the sandbox failed.')
    const harness = this.#keep(made.value)
    const member = (name: string) => this.#keep(this.context.getProp(harness, name))
    return { parse: member('parse'), print: member('print'), describe: member('describe') }
  }

  #keep(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle)
    return handle
  }

  #call(callee: QuickJSHandle, argument: QuickJSHandle, harness: Harness): QuickJSHandle {
    return this.#take(this.context.callFunction(callee, this.context.undefined, argument), harness)
  }

  #take(result: ReturnType<QuickJSContext['evalCode']>, harness: Harness): QuickJSHandle {
    if (result.error) throw new Failed(this.#explain(result.error, harness))
    return this.#keep(result.value)
  }

  /** The value of a promise once all its work is done; other values as they are. */
  #settle(value: QuickJSHandle, harness: Harness): QuickJSHandle {
    while (this.runtime.hasPendingJob() && !this.clock.isLate()) {
      const worked = this.runtime.executePendingJobs(100)
      if (worked.error) throw new Failed(this.#explain(worked.error, harness))
    }
    const state = this.context.getPromiseState(value)
    if (state.type === 'rejected') throw new Failed(this.#explain(state.error, harness))
    if (state.type === 'fulfilled') return state.notAPromise ? value : this.#keep(state.value)
    const message = 'Its promise is never settled: there are no timers, files and network.'
    throw new Failed({ code: 'javascript', message, line: null })
  }

  #explain(error: QuickJSHandle, { describe }: Harness): SandboxFailure {
    this.#keep(error)
    if (this.clock.wasLate) return { code: 'timeout', message: 'It ran too long.', line: null }
    const described = this.context.callFunction(describe, this.context.undefined, error)
    const text = described.error ? OUT_OF_MEMORY : this.context.getString(this.#keep(described.value))
    const [message = '', stack = ''] = text.split('\u0001')
    // Without memory for an error, the engine throws null.
    if (message.includes(OUT_OF_MEMORY) || (message === 'threw null' && this.#isFull())) {
      return { code: 'memory', message: `It uses more than ${MEMORY_LIMIT / 1024 / 1024} MB of memory.`, line: null }
    }
    const line = /\bevaluator\.js:(\d+)/.exec(stack)?.[1]
    return { code: 'javascript', message, line: line === undefined ? null : Number(line) }
  }
}

const OUT_OF_MEMORY = 'InternalError: out of memory'

function readPrinted(text: string): SandboxOutcome {
  if (text.startsWith('+')) return { result: text.slice(1) }
  const isTooLarge = text === '!'
  const message = isTooLarge ? `The result has more than ${MAX_RESULT} characters.` : text.slice(1)
  return { failure: { code: isTooLarge ? 'too_large' : 'invalid_result', message, line: null } }
}
