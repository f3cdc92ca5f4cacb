import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps/root.mjs'

/** The published packages whose newest versions the suites of clients drive. */
const NPM_NAMES = ['langsmith', '@langchain/core', '@langchain/langgraph', '@langchain/openai', 'langchain']
const NPM_FILES = ['e2e/package.json', 'bench/package.json', 'examples/langsmith-javascript/package.json']
const PYTHON_NAMES = ['langsmith', 'langchain-core', 'langchain-classic', 'langgraph']
/** The list that pip resolves first, then those whose packages stand beside it. */
export const PYTHON_FILES = ['e2e/clients/python/requirements.txt', 'e2e/clients/python/requirements-langchain.txt']

/** Everything that raising the versions changes. */
export const PINNED_FILES = [...NPM_FILES, ...PYTHON_FILES, 'package-lock.json']

/** What a text pins of the published packages; versions that stand beside under another name stay as they are. */
export function findPins(file, text) {
  const names = file.endsWith('.txt') ? PYTHON_NAMES : NPM_NAMES
  const registry = file.endsWith('.txt') ? 'pypi' : 'npm'
  return names.flatMap((name) => {
    const version = patternOf(file, name).exec(text)?.[2]
    return version === undefined ? [] : [{ file, registry, name, version }]
  })
}

/** The text with another version of one package. */
export function raisePin(file, text, name, version) {
  return text.replace(patternOf(file, name), (_, before, __, after) => `${before}${version}${after}`)
}

/** Pins of all files, as they stand. */
export function readPins() {
  return [...NPM_FILES, ...PYTHON_FILES].flatMap((file) => findPins(file, readFileSync(join(root, file), 'utf8')))
}

/** Writes one pin. */
export function writePin({ file, name }, version) {
  const path = join(root, file)
  writeFileSync(path, raisePin(file, readFileSync(path, 'utf8'), name, version))
}

/** What stands in one list of names and not in the other. */
export function compareNames(before, after) {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  }
}

function patternOf(file, name) {
  return file.endsWith('.txt') ? new RegExp(`^(${name}==)(\\S+)()$`, 'm') : new RegExp(`("${name}": ")(\\d[^"]*)(")`)
}
