import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'
import { runCommand } from './run-command.mjs'
import { say } from './say.mjs'

/** In building order. `needs` are the packages whose sources end up in the result; `makes` proves that it stands. */
const PACKAGES = [
  { name: 'contract', needs: [], makes: 'dist/index.js' },
  { name: 'sdk', needs: ['contract'], makes: 'dist' },
  { name: 'server', needs: ['contract'], makes: 'dist/main.js' },
  { name: 'cli', needs: ['contract', 'sdk', 'server'], makes: 'dist/main.js' },
  { name: 'web', needs: ['contract', 'sdk'], makes: 'dist/index.html' },
]

/**
 * Builds what is not up to date, by `packages/<name>/scripts/build.mjs`, and remembers the inputs it was built from.
 *
 * @param only   names to build; their needs are built too only where listed. @default all
 * @param force  build although nothing changed
 * @returns whether everything stands
 */
export function buildPackages({ only, force = false } = {}) {
  for (const { name, makes } of buildable().filter(({ name }) => !only || only.includes(name))) {
    const inputs = hashInputs(name)
    if (!force && isBuilt(name, makes, inputs)) continue
    say(`Building ${name}`)
    rmSync(stampOf(name), { force: true })
    if (runCommand(process.execPath, [`packages/${name}/scripts/build.mjs`], { stdio: ['ignore', 2, 2] }) !== 0) {
      console.error(`Building ${name} failed; the lines above say why.`)
      return false
    }
    mkdirSync(stamps, { recursive: true })
    writeFileSync(stampOf(name), inputs)
  }
  return true
}

/** Names of the packages whose build does not match their sources. */
export function stalePackages() {
  return buildable()
    .filter(({ name, makes }) => !isBuilt(name, makes, hashInputs(name)))
    .map(({ name }) => name)
}

/** A package without a build script has nothing to build yet. */
function buildable() {
  return PACKAGES.filter(({ name }) => existsSync(join(root, 'packages', name, 'scripts/build.mjs')))
}

function isBuilt(name, makes, inputs) {
  const stands = existsSync(join(root, 'packages', name, makes)) && existsSync(stampOf(name))
  return stands && readFileSync(stampOf(name), 'utf8') === inputs
}

/** Contents rather than times: a checkout or a copy touches every file and changes none. */
function hashInputs(name) {
  const { needs } = PACKAGES.find((one) => one.name === name)
  const hash = createHash('sha256').update(process.versions.node.split('.')[0])
  for (const file of ['package-lock.json', 'tsconfig.base.json']) hash.update(readFileSync(join(root, file)))
  for (const part of [...needs, name]) hashFolder(hash, join(root, 'packages', part))
  return hash.digest('hex')
}

function hashFolder(hash, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !NOT_INPUT.has(entry.name)) hashFolder(hash, path)
    if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) {
      hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
    }
  }
}

const NOT_INPUT = new Set(['node_modules', 'dist', 'test', 'testing', 'coverage', '.cache', '.tanstack'])
const stamps = join(root, '.cache/build')
const stampOf = (name) => join(stamps, `${name}.inputs`)
