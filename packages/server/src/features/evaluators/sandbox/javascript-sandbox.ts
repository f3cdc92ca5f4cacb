import { Worker } from 'node:worker_threads'
import { aTimeout, type SandboxOutcome, type SandboxRun } from './run-source.ts'

/** Passed to the thread. */
export interface ThreadTask extends SandboxRun {
  readonly id: number
  /** Programs of different owners do not share an engine. */
  readonly owner: string
}

/** Sent by the thread: when it begins, and when it has ended. */
export type ThreadMessage =
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly outcome: SandboxOutcome }

/** Whose program it is. Workspaces wait for each other in turn, and within one its programs. */
export interface SandboxOwner {
  readonly workspace: string
  /** Programs that differ do not share an engine. */
  readonly program: string
}

interface Waiting {
  readonly owner: SandboxOwner
  readonly task: ThreadTask
  readonly settle: (outcome: SandboxOutcome) => void
  readonly reject: (error: Error) => void
}

/** Runs that wait, of all workspaces together, and of one. */
const MAX_WAITING = 5_000
const MAX_WAITING_OF_WORKSPACE = 2_500
/** Runs of a workspace that may wait however many others wait. */
const FREE_OF_WORKSPACE = 100
/** Milliseconds after its time at which the thread of a program is ended: its engine looks at the clock between steps. */
const GRACE_MS = 500
/** Milliseconds in which a thread starts its engine, on a busy machine. */
const START_MS = 30_000
/** Milliseconds without work after which the thread ends, to give its memory back. */
const IDLE_MS = 60_000

/**
 * Runs JavaScript of users in one thread, one program at a time: the workspaces in turn, and within one its programs. Nothing that a program does ends or
 * blocks the server.
 *
 * @see docs/decisions/0074-javascript-evaluators.md
 */
export class JavascriptSandbox {
  /** By workspace and program; the one whose turn is next is first. */
  readonly #waiting = new Map<string, Map<string, Waiting[]>>()
  #nextId = 0
  #worker: Worker | undefined
  #running: Waiting | undefined
  #alarm: NodeJS.Timeout | undefined
  #isClosed = false

  /**
   * @param signal  ends the waiting with the failure `cancelled`; the program may run on until its time is up
   * @throws Error when the server stops, because nothing is known about the program then
   */
  async run(owner: SandboxOwner, run: SandboxRun, signal?: AbortSignal): Promise<SandboxOutcome> {
    if (this.#isClosed) throw aStop()
    if (signal?.aborted) return CANCELLED
    const { workspace, program } = owner
    const mine = this.#waiting.get(workspace)
    const own = mine === undefined ? 0 : count([mine])
    if (own >= MAX_WAITING_OF_WORKSPACE) {
      return aFailure(`${MAX_WAITING_OF_WORKSPACE} runs of this workspace wait already. Retry later.`)
    }
    if (own >= FREE_OF_WORKSPACE && count(this.#waiting.values()) >= MAX_WAITING)
      return aFailure(`${MAX_WAITING} runs wait already. Retry later.`)
    let cancel: (() => void) | undefined
    const outcome = new Promise<SandboxOutcome>((settle, reject) => {
      const task = { ...run, owner: JSON.stringify([workspace, program]), id: this.#nextId++ }
      const waiting = { owner, task, settle, reject }
      cancel = () => this.#cancel(waiting)
      signal?.addEventListener('abort', cancel)
      const programs = this.#waiting.get(workspace) ?? new Map<string, Waiting[]>()
      this.#waiting.set(workspace, programs)
      const others = programs.get(program)
      if (others === undefined) programs.set(program, [waiting])
      else others.push(waiting)
      this.#runNext()
    })
    return outcome.finally(() => cancel && signal?.removeEventListener('abort', cancel))
  }

  #cancel(waiting: Waiting): void {
    const { workspace, program } = waiting.owner
    const programs = this.#waiting.get(workspace)
    const others = programs?.get(program)?.filter((other) => other !== waiting) ?? []
    if (others.length > 0) programs?.set(program, others)
    else programs?.delete(program)
    if (programs?.size === 0) this.#waiting.delete(workspace)
    waiting.settle(CANCELLED)
  }

  /** Ends the thread; runs that have not ended are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#waiting.values()].flatMap((programs) => [...programs.values()].flat())
    this.#waiting.clear()
    for (const { reject } of all) reject(aStop())
    this.#running?.reject(aStop())
    this.#end()
  }

  #runNext(): void {
    if (this.#running !== undefined) return
    clearTimeout(this.#alarm)
    const next = this.#takeNext()
    if (next === undefined) {
      this.#alarm = setTimeout(() => this.#end(), IDLE_MS).unref()
      return
    }
    this.#running = next
    this.#worker ??= this.#startThread()
    this.#alarm = setTimeout(() => this.#end(aFailure('The sandbox did not start.')), START_MS)
    this.#worker.postMessage(next.task)
  }

  #takeNext(): Waiting | undefined {
    const [workspace, programs] = takeFirst(this.#waiting) ?? []
    const [program, [first, ...others] = []] = (programs && takeFirst(programs)) ?? []
    if (workspace === undefined || programs === undefined || program === undefined) return undefined
    // Both go to the end of their lines.
    if (others.length > 0) programs.set(program, others)
    if (programs.size > 0) this.#waiting.set(workspace, programs)
    return first
  }

  #startThread(): Worker {
    const worker = openThread()
    worker.unref()
    worker.on('message', (message: ThreadMessage) => this.#take(message))
    const fail = (why: string) => {
      if (this.#worker === worker) this.#end(aFailure(`The thread of the sandbox ended: ${why}.`))
    }
    worker.on('error', (error) => fail(error.message))
    worker.on('exit', (code) => fail(`code ${code}`))
    return worker
  }

  #take(message: ThreadMessage): void {
    const running = this.#running
    if (running?.task.id !== message.id) return
    clearTimeout(this.#alarm)
    if ('started' in message) {
      const { timeoutMs } = running.task
      this.#alarm = setTimeout(() => this.#end({ failure: aTimeout(timeoutMs) }), timeoutMs + GRACE_MS)
      return
    }
    this.#running = undefined
    running.settle(message.outcome)
    this.#runNext()
  }

  /** Ends the thread; the run in it gets the outcome, and the next one a new thread. */
  #end(outcome?: SandboxOutcome): void {
    clearTimeout(this.#alarm)
    const [worker, running] = [this.#worker, this.#running]
    this.#worker = undefined
    this.#running = undefined
    void worker?.terminate()
    if (outcome !== undefined) running?.settle(outcome)
    if (running !== undefined && !this.#isClosed) this.#runNext()
  }
}

function takeFirst<Value>(map: Map<string, Value>): [string, Value] | undefined {
  const [first] = map
  if (first !== undefined) map.delete(first[0])
  return first
}

function count(workspaces: Iterable<ReadonlyMap<string, readonly Waiting[]>>): number {
  let sum = 0
  for (const programs of workspaces) for (const { length } of programs.values()) sum += length
  return sum
}

const CANCELLED: SandboxOutcome = {
  failure: { code: 'cancelled', message: 'It was not run to its end: the request ended before.', line: null },
}
const aStop = () => new Error('The server stops.')
const aFailure = (message: string): SandboxOutcome => ({ failure: { code: 'timeout', message, line: null } })

const THREAD = {
  name: 'evaluators',
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
}

/** The thread is a separate file: beside this one in the sources, beside the entry points in the build. */
function openThread(): Worker {
  const { url } = import.meta
  if (url.endsWith('.ts')) return new Worker(importSource('./sandbox-thread.ts', url), { ...THREAD, eval: true })
  return new Worker(new URL('./sandbox-thread.js', url.replace(/\/chunks\/[^/]*$/, '/index.js')), THREAD)
}

/** A program that imports a file of the sources, because threads of Node 20 do not run TypeScript. */
function importSource(file: string, from: string): string {
  return `import('tsx/esm/api').then(({ tsImport }) => tsImport(${JSON.stringify(file)}, ${JSON.stringify(from)}))`
}
