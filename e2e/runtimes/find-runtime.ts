import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const platform = `${process.platform}-${process.arch}`

/** npm does not always run install scripts, and before those have run the named binary is a placeholder of a few bytes. */
const MIN_BINARY_BYTES = 1_000_000

const PLACES = {
  bun: ['bun/bin/bun.exe', `@oven/bun-${platform.replace('arm64', 'aarch64')}/bin/bun`],
  deno: ['deno/deno', `@deno/${platform}-glibc/deno`, `@deno/${platform}/deno`],
}

/** The binary of a runtime that came by npm; `undefined` on platforms it is not made for. */
export function findRuntime(name: keyof typeof PLACES): string | undefined {
  return PLACES[name].map((place) => modules + place).find((path) => existsSync(path) && isBinary(path))
}

function isBinary(path: string): boolean {
  return statSync(path).size > MIN_BINARY_BYTES
}
