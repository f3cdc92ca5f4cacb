import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps/root.mjs'

/** The published packages that the client suites use in their newest version. */
const NPM_NAMES = ['langsmith', '@langchain/core', '@langchain/langgraph', '@langchain/openai', 'langchain']
const NPM_FILES = ['e2e/package.json', 'bench/package.json', 'examples/langsmith-javascript/package.json']
const PYTHON_NAMES = ['langsmith', 'langchain-core', 'langchain-classic', 'langgraph']
/** The main list, which pip resolves first, then the lists of further versions. */
export const PYTHON_FILES = ['e2e/clients/python/requirements.txt', 'e2e/clients/python/requirements-langchain.txt']

/** All files that raising a version changes. */
export const PINNED_FILES = [...NPM_FILES, ...PYTHON_FILES, 'package-lock.json']

/** Parses the pinned versions of the published packages; further versions under other names are left out. */
export function findPins(file, text) {
  const names = file.endsWith('.txt') ? PYTHON_NAMES : NPM_NAMES
  const registry = file.endsWith('.txt') ? 'pypi' : 'npm'
  return names.flatMap((name) => {
    const version = patternOf(file, name).exec(text)?.[2]
    return version === undefined ? [] : [{ file, registry, name, version }]
  })
}

/** Replaces the version of one package in a text. */
export function raisePin(file, text, name, version) {
  return text.replace(patternOf(file, name), (_, before, __, after) => `${before}${version}${after}`)
}

/** Reads the pins of all files. */
export function readPins() {
  return [...NPM_FILES, ...PYTHON_FILES].flatMap((file) => findPins(file, readFileSync(join(root, file), 'utf8')))
}

/** Writes one pin. */
export function writePin({ file, name }, version) {
  const path = join(root, file)
  writeFileSync(path, raisePin(file, readFileSync(path, 'utf8'), name, version))
}

/** Returns the names that are in one list and not in the other. */
export function compareNames(before, after) {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  }
}

function patternOf(file, name) {
  return file.endsWith('.txt') ? new RegExp(`^(${name}==)(\\S+)()$`, 'm') : new RegExp(`("${name}": ")(\\d[^"]*)(")`)
}
