/**
 * Our own name wins; the names of the public package and its older spelling keep existing deployments working.
 * Read at the moment of use, never at import: a `dotenv` call after the import must count.
 */
const PREFIXES = ['TOUCHSTONE_', 'LANGSMITH_', 'LANGCHAIN_']

/** `env('API_KEY')` reads `TOUCHSTONE_API_KEY`, else `LANGSMITH_API_KEY`, else `LANGCHAIN_API_KEY`; empty counts as absent. */
export function env(name: string, prefixes: readonly string[] = PREFIXES): string | undefined {
  for (const prefix of prefixes) {
    const value = readVariable(prefix + name)
    if (value) return value
  }
  return undefined
}

export function envIsTrue(name: string): boolean {
  return env(name) === 'true'
}

/** For switches of which `1` counts, too, and `true` in any case. */
export function envIsOn(name: string): boolean {
  return /^(true|1)$/i.test(env(name) ?? '')
}

/** One variable by its exact name. */
export function readVariable(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name]
  } catch {
    // Deno asks for a permission per variable and throws without it: not allowed to look means not set.
    return undefined
  }
}

/** True when `traceable` and the wrappers should record; only the exact text `true` counts. */
export function isTracingOnByEnv(): boolean {
  return isFirstTrue(TRACING_V2) || isFirstTrue(TRACING)
}

// Asked at every call of every traceable, so the names are put together once.
const TRACING_V2 = PREFIXES.map((prefix) => `${prefix}TRACING_V2`)
const TRACING = PREFIXES.map((prefix) => `${prefix}TRACING`)

function isFirstTrue(names: readonly string[]): boolean {
  for (const name of names) {
    const value = readVariable(name)
    if (value) return value === 'true'
  }
  return false
}

/** The project that new root runs go to: `…_PROJECT`, else `LANGCHAIN_SESSION`, else `default`. */
export function getDefaultProjectName(): string {
  return projectFromEnv() ?? 'default'
}

/** The project that the environment names, if any. */
export function projectFromEnv(): string | undefined {
  return env('PROJECT') ?? (readVariable('LANGCHAIN_SESSION') || undefined)
}
