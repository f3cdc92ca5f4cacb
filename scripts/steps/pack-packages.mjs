import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OUTSIDE } from '../../packages/server/scripts/outside.mjs'
import { fail } from './output.mjs'
import { root } from './root.mjs'
import { readCommand } from './run-command.mjs'

/** In the order of publishing: a package follows those that it depends on. */
const PUBLISHED = ['sdk', 'cli', 'server', 'touchstone']

/**
 * Packs the built packages as they are published.
 *
 * @param to  folder for the tarballs, emptied before
 * @returns path and bytes of each tarball
 */
export function packPackages(to) {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const staging = mkdtempSync(join(tmpdir(), 'touchstone-pack-'))
  try {
    return PUBLISHED.map((name) => {
      stage(name, join(staging, name))
      // Within the package: the command line has a program of the same name when it is installed alone.
      if (name === 'touchstone') stage('cli', join(staging, name, 'node_modules/@touchstone/cli'))
      const packed = readCommand(npm, ['pack', '--json', `--pack-destination=${to}`], { cwd: join(staging, name) })
      if (packed === undefined) fail(`npm could not pack ${name}.`)
      const [{ filename, size }] = JSON.parse(packed)
      return { path: join(to, filename.replace('@', '').replace('/', '-')), bytes: size }
    })
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** Copies what is published, so that the manifests of the repository can name what only its tools need. */
function stage(name, to) {
  const from = join(root, 'packages', name)
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  for (const path of [...manifest.files, 'README.md']) copyIfPresent(join(from, path), join(to, path))
  copyIfPresent(join(root, 'LICENSE'), join(to, 'LICENSE'))
  if (name === 'server') copyIfPresent(join(root, 'packages/web/dist'), join(to, 'dist/web'))
  writeFileSync(join(to, 'package.json'), JSON.stringify(toPublished(name, manifest), null, 2))
}

function toPublished(name, { devDependencies: _, scripts: __, dependencies = {}, ...rest }) {
  const kept = Object.entries(dependencies).filter(([one]) => name !== 'server' || OUTSIDE.includes(one))
  return { ...rest, exports: withoutSources(rest.exports), dependencies: Object.fromEntries(kept) }
}

/** Removes the condition by which the tests of the repository load sources. */
function withoutSources(value) {
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== 'touchstone:source')
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutSources(one)]))
}

function copyIfPresent(from, to) {
  if (statSync(from, { throwIfNoEntry: false }) === undefined) return
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.map') })
}

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
