import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import type { ThreadMessage, ThreadTask } from './javascript-sandbox.ts'
import { MEMORY_LIMIT, runSource, type SandboxOutcome } from './run-source.ts'

/*
 * Runs programs of users in a thread of its own, which the sandbox ends when one does not stop. The engine is WebAssembly:
 * a program that breaks out of it reaches the memory of one engine, and an engine has one owner.
 */

/** What is used of the global object, whose types are those of browsers. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object
}

const wasm = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
const compiled = WebAssembly.compile(readFileSync(wasm))

let engine: { readonly owner: string; readonly quickjs: QuickJSWASMModule } | undefined

async function run(task: ThreadTask): Promise<SandboxOutcome> {
  const { owner } = task
  if (engine?.owner !== owner) engine = { owner, quickjs: await openEngine() }
  const { quickjs } = engine
  post({ id: task.id, started: true })
  try {
    const { outcome, isReusable } = runSource(quickjs, task)
    if (!isReusable) engine = undefined
    return outcome
  } catch (error) {
    engine = undefined
    const message = `The program ended the engine: ${error instanceof Error ? error.message : String(error)}.`
    return { failure: { code: 'javascript', message, line: null } }
  }
}

/** The memory has a maximum, because the engine's own limit does not count the sizes of objects in WebAssembly. */
async function openEngine(): Promise<QuickJSWASMModule> {
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MEMORY_LIMIT / PAGE_BYTES })
  // The types of the package describe its CommonJS form.
  const release = variant as unknown as QuickJSSyncVariant
  return newQuickJSWASMModuleFromVariant(newVariant(release, { wasmModule: await compiled, wasmMemory }))
}

const PAGE_BYTES = 65_536
/** What the engine asks for at its start. */
const FIRST_PAGES = 256

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}

parentPort?.on('message', async (task: ThreadTask) => post({ id: task.id, outcome: await run(task) }))
