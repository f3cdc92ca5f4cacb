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
 * A Node builtin where there is one (Node, Bun, Deno), `undefined` elsewhere.
 *
 * Asked for at run time and not imported, so that no bundler for browsers or edge runtimes ever sees the module's name
 * as something to resolve.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  try {
    return globalThis.process?.getBuiltinModule?.(name) as Builtins[Name] | undefined
  } catch {
    return undefined
  }
}
