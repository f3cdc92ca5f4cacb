import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printProgress } from './output.mjs'
import { root } from './root.mjs'
import { runCommand } from './run-command.mjs'

/**
 * In build order. `needs` lists the packages whose sources are part of the result; `makes` is a file that the build
 * writes.
 */
const PACKAGES = [
  { name: 'formats', needs: [], makes: 'dist/usage/index.js' },
  { name: 'contract', needs: ['formats'], makes: 'dist/index.js' },
  { name: 'sdk', needs: ['formats', 'contract'], makes: 'dist' },
  { name: 'server', needs: ['formats', 'contract'], makes: 'dist/main.cjs' },
  { name: 'cli', needs: ['formats', 'contract', 'sdk', 'server'], makes: 'dist/main.js' },
  { name: 'web', needs: ['formats', 'contract', 'sdk'], makes: 'dist/index.html' },
]

/**
 * Builds the packages that are out of date with `packages/<name>/scripts/build.mjs`, and records a hash of the inputs.
 *
 * @param only   names of packages to build, without those that they need. @default all
 * @param force  builds packages that are up to date too
 * @returns whether all packages are built
 */
export function buildPackages({ only, force = false } = {}) {
  const digests = new Map()
  for (const { name, makes } of buildable().filter(({ name }) => !only || only.includes(name))) {
    const inputs = hashInputs(name, digests)
    if (!force && isBuilt(name, makes, inputs)) continue
    printProgress(`Building ${name}`)
    rmSync(stampPath(name), { force: true })
    if (runCommand(process.execPath, [`packages/${name}/scripts/build.mjs`], { stdio: ['ignore', 2, 2] }) !== 0) {
      console.error(`Building ${name} failed; see the lines above.`)
      return false
    }
    mkdirSync(stamps, { recursive: true })
    writeFileSync(stampPath(name), inputs)
  }
  return true
}

/** Returns the names of packages whose build is older than their sources. */
export function stalePackages() {
  const digests = new Map()
  return buildable()
    .filter(({ name, makes }) => !isBuilt(name, makes, hashInputs(name, digests)))
    .map(({ name }) => name)
}

/** Packages that have a build script. */
function buildable() {
  return PACKAGES.filter(({ name }) => existsSync(join(root, 'packages', name, 'scripts/build.mjs')))
}

function isBuilt(name, makes, inputs) {
  const exists = existsSync(join(root, 'packages', name, makes)) && existsSync(stampPath(name))
  return exists && readFileSync(stampPath(name), 'utf8') === inputs
}

/**
 * Hashes contents instead of comparing times, because a checkout or a copy changes all times.
 *
 * @param digests  of packages that were read already
 */
function hashInputs(name, digests) {
  const { needs } = PACKAGES.find((one) => one.name === name)
  const hash = createHash('sha256').update(process.versions.node.split('.')[0])
  for (const file of ['package-lock.json', 'tsconfig.base.json']) hash.update(readFileSync(join(root, file)))
  for (const part of [...needs, name]) hash.update(digestPackage(part, digests))
  return hash.digest('hex')
}

function digestPackage(name, digests) {
  if (!digests.has(name)) {
    const hash = createHash('sha256')
    hashFolder(hash, join(root, 'packages', name))
    digests.set(name, hash.digest())
  }
  return digests.get(name)
}

/** Without tests and without what the build itself generates in the sources. */
function hashFolder(hash, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !NOT_INPUT.has(entry.name)) hashFolder(hash, path)
    if (entry.isFile() && !/\.(test|gen)\.tsx?$/.test(entry.name)) {
      hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
    }
  }
}

const NOT_INPUT = new Set(['node_modules', 'dist', 'test', 'testing', 'coverage', '.cache', '.tanstack'])
const stamps = join(root, '.cache/build')
const stampPath = (name) => join(stamps, `${name}.inputs`)
