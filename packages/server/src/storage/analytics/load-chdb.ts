import { createRequire } from 'node:module'
import { UnreachableEngineError } from '../unreachable-engine.ts'

/**
 * Loads the embedded column store, whose native library is a package of its own for each platform.
 *
 * @throws UnreachableEngineError where there is none, with what to do
 */
export async function loadChdb() {
  try {
    const [{ drainPending, Session }, { createChdbConnection }] = await Promise.all([
      import('chdb'),
      import('chdb/connection'),
    ])
    return { drainPending, Session, createChdbConnection }
  } catch (error) {
    throw new UnreachableEngineError(
      describeMissingEngine(process.platform, process.arch, error instanceof Error ? error.message : String(error)),
      { cause: error },
    )
  }
}

/** Exported for its test. */
export function describeMissingEngine(platform: string, arch: string, detail: string): string {
  const name = PACKAGES[`${platform} ${arch}`]
  const { optionalDependencies } = createRequire(import.meta.url)('chdb/package.json')
  const otherwise = 'or use a ClickHouse server: TOUCHSTONE_CLICKHOUSE_URL (docs/guides/self-hosting.md).'
  if (platform === 'win32')
    return `The embedded column store has no build for Windows. Run Touchstone in WSL2, ${otherwise}`
  if (name === undefined) {
    return `The embedded column store has no build for ${platform} on ${arch}. Run Touchstone on Linux or macOS, ${otherwise}`
  }
  const [line] = detail.split('\n', 1)
  return (
    `The embedded column store cannot be loaded: ${line}. Install its library with \`npm install --no-save ${name}@${optionalDependencies[name]}\` ` +
    `(on Linux it needs glibc, so not Alpine), ${otherwise}`
  )
}

/** Packages of the native library by `process.platform` and `process.arch`. */
const PACKAGES: Readonly<Record<string, string>> = {
  'darwin arm64': '@chdb/lib-darwin-arm64',
  'darwin x64': '@chdb/lib-darwin-x64',
  'linux arm64': '@chdb/lib-linux-arm64-gnu',
  'linux x64': '@chdb/lib-linux-x64-gnu',
}
