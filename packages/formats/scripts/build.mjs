import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Plain modules: the compiler alone makes them and their types.
const here = fileURLToPath(new URL('..', import.meta.url))
rmSync(`${here}/dist`, { recursive: true, force: true })
const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
process.exit(
  spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: here, stdio: 'inherit' }).status ?? 1,
)
