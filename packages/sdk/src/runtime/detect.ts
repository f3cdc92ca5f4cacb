export type Runtime = 'node' | 'bun' | 'deno' | 'browser' | 'webworker' | 'jsdom' | 'other'

interface Globals {
  Bun?: { version?: string }
  Deno?: { version?: { deno?: string } }
  window?: { document?: unknown }
  navigator?: { userAgent?: string }
  importScripts?: unknown
}

/** Where this code runs; recorded with every run and used to leave out what a platform refuses. */
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

/** Browsers own the `User-Agent` header, and setting it would only provoke a preflight request. */
export function setsUserAgent(): boolean {
  return !['browser', 'webworker', 'jsdom'].includes(detectRuntime())
}
