import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

/** Builds a package of plain modules: the compiler alone makes them and their types. @returns the exit code */
export function compilePackage(name) {
  const cwd = join(root, 'packages', name)
  rmSync(join(cwd, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd, stdio: 'inherit' }).status ?? 1
}
