import { join } from 'node:path'
import { root } from '../steps/root.mjs'
import { readCommand } from '../steps/run-command.mjs'

/**
 * Lists the public methods of the installed npm client and of its generated parts, e.g. `readRun` and
 * `runs.share.create`.
 */
export function listNpmMethods() {
  // Resolved from the folder of the suites, because another package of the repository may contain another version.
  return splitLines(readCommand(process.execPath, ['-e', NPM_PROGRAM], { cwd: join(root, 'e2e') }))
}

/** Lists the public methods of the Python client in `.venv`; an empty list where it is not installed. */
export function listPythonMethods(python) {
  return python === undefined ? [] : splitLines(readCommand(python, ['-W', 'ignore', '-c', PYTHON_PROGRAM]))
}

const splitLines = (text = '') => text.split('\n').filter(Boolean)

const NPM_PROGRAM = `
const { Client } = require('langsmith')
const declared = require('node:fs').readFileSync(require.resolve('langsmith/client').replace(/\\.m?js$/, '.d.ts'), 'utf8')
const hidden = new Set(Array.from(declared.matchAll(/^ {4}(?:private|protected) (?:get )?(\\w+)/gm), ([, name]) => name))
const client = new Client({ apiUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'any', autoBatchTracing: false })
const isPublic = (name) => name !== 'constructor' && !name.startsWith('_') && !hidden.has(name)
function walk(object, path) {
  for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)))) {
    if (!isPublic(name)) continue
    if (typeof value === 'function') console.log(path + name)
    else if (get && path === '' && name !== 'openAPIClient') below(object[name], name)
  }
}
function below(object, name) {
  if (typeof object !== 'object' || object === null || Object.getPrototypeOf(object) === Object.prototype) return
  walk(object, name + '.')
  for (const [key, value] of Object.entries(object)) if (key !== '_client') below(value, name + '.' + key)
}
walk(client, '')
process.exit(0)
`

const PYTHON_PROGRAM = `
import inspect
import langsmith
client = langsmith.Client(api_url="http://127.0.0.1:1/api/v1", api_key="any", auto_batch_tracing=False)
def below(thing, path):
    for name in sorted(dir(thing)):
        if name.startswith("_") or name.startswith("with_"):
            continue
        value = getattr(thing, name)
        if callable(value):
            print(path + name)
        elif type(value).__module__.startswith("langsmith.resources"):
            below(value, path + name + ".")
for name, value in inspect.getmembers(type(client)):
    if name.startswith("_"):
        continue
    if inspect.isfunction(value):
        print(name)
    elif name in ("runs", "traces", "threads", "datasets", "annotation_queues", "public", "evaluators", "agents", "sessions"):
        below(getattr(client, name), name + ".")
`
