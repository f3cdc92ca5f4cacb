import type * as AsyncHooks from 'node:async_hooks'
import type * as ChildProcess from 'node:child_process'
import type * as Crypto from 'node:crypto'
import type * as Fs from 'node:fs'
import type * as Os from 'node:os'
import type * as Path from 'node:path'

interface Builtins {
  'node:async_hooks': typeof AsyncHooks
  'node:child_process': typeof ChildProcess
  'node:crypto': typeof Crypto
  'node:fs': typeof Fs
  'node:os': typeof Os
  'node:path': typeof Path
}

/**
 * Returns a Node builtin, or `undefined` on platforms without it.
 *
 * Looked up at run time instead of imported, so that bundlers for browsers and edge runtimes do not try to resolve it.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  try {
    return globalThis.process?.getBuiltinModule?.(name) as Builtins[Name] | undefined
  } catch {
    return undefined
  }
}

type Runtime = 'node' | 'bun' | 'deno' | 'browser' | 'webworker' | 'jsdom' | 'other'

interface Globals {
  Bun?: { version?: string }
  Deno?: { version?: { deno?: string } }
  window?: { document?: unknown }
  navigator?: { userAgent?: string }
  importScripts?: unknown
}

/** Detects the platform. Recorded with every run, and used to skip calls that a platform rejects. */
export function detectRuntime(): Runtime {
  const globals = globalThis as Globals
  if (globals.Bun) return 'bun'
  if (globals.Deno) return 'deno'
  if (globals.navigator?.userAgent?.includes('jsdom')) return 'jsdom'
  if (globalThis.process?.versions?.node) return 'node'
  if (globals.window?.document) return 'browser'
  if (typeof globals.importScripts === 'function') return 'webworker'
  return 'other'
}

export function runtimeVersion(): string | undefined {
  const globals = globalThis as Globals
  return globals.Bun?.version ?? globals.Deno?.version?.deno ?? globalThis.process?.versions?.node
}

/** Browsers set `User-Agent` themselves; setting it would only cause a preflight request. */
export function setsUserAgent(): boolean {
  return !['browser', 'webworker', 'jsdom'].includes(detectRuntime())
}
