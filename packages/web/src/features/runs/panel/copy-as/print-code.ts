import type { Run } from '@touchstone/contract'
import type { RunPayload } from '#features/datasets/add-to-dataset/mapping.ts'
import type { ModelCall } from './model-call.ts'

export const LANGUAGES = ['curl', 'python', 'typescript'] as const
export type Language = (typeof LANGUAGES)[number]

/** Prints a program that sends the same request to the model. The key is read from the environment. */
export function printModelCall(call: ModelCall, language: Language): string {
  if (language === 'curl') return printCurl(call)
  return language === 'python' ? printPythonCall(call) : printTypeScriptCall(call)
}

const KEYS = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY', gemini: 'GEMINI_API_KEY' } as const

/** Environment variable of the API key. Google also accepts OpenAI requests, so the URL decides. */
function getKeyVariable({ api, url }: ModelCall): string {
  if (url.includes('googleapis')) return KEYS.gemini
  return api === 'anthropic' ? KEYS.anthropic : KEYS.openai
}

function printCurl(call: ModelCall): string {
  const key = `$${getKeyVariable(call)}`
  const headers =
    call.api === 'anthropic'
      ? [`"x-api-key: ${key}"`, `'anthropic-version: 2023-06-01'`]
      : [call.api === 'gemini' ? `"x-goog-api-key: ${key}"` : `"authorization: Bearer ${key}"`]
  return [
    `curl -sS ${quoteForShell(call.url)} \\`,
    ...[`'content-type: application/json'`, ...headers].map((header) => `  -H ${header} \\`),
    `  -d ${quoteForShell(JSON.stringify(call.body, null, 2))}`,
  ].join('\n')
}

function printPythonCall(call: ModelCall): string {
  const body = printPython(call.body)
  if (call.api === 'anthropic') {
    return `# pip install anthropic\nfrom anthropic import Anthropic\n\nmessage = Anthropic().messages.create(**${body})\nprint(message.content)`
  }
  if (call.api === 'gemini') {
    return `# pip install requests\nimport os\n\nimport requests\n\nanswer = requests.post(\n    ${JSON.stringify(call.url)},\n    headers={"x-goog-api-key": os.environ["GEMINI_API_KEY"]},\n    json=${printPython(call.body, 1)},\n    timeout=120,\n)\nanswer.raise_for_status()\nprint(answer.json())`
  }
  const method = call.api === 'openai-responses' ? 'responses' : 'chat.completions'
  const show = call.api === 'openai-responses' ? 'answer.output_text' : 'answer.choices[0].message'
  const isGoogle = call.url.includes('googleapis')
  const client = isGoogle
    ? `OpenAI(\n    api_key=os.environ["GEMINI_API_KEY"],\n    base_url="${call.url.replace('chat/completions', '')}",\n)`
    : 'OpenAI()'
  return `# pip install openai\n${isGoogle ? 'import os\n\n' : ''}from openai import OpenAI\n\nclient = ${client}\nanswer = client.${method}.create(**${body})\nprint(${show})`
}

function printTypeScriptCall(call: ModelCall): string {
  const body = printTypeScript(call.body)
  if (call.api === 'anthropic') {
    return `// npm install @anthropic-ai/sdk\nimport Anthropic from '@anthropic-ai/sdk'\n\nconst message = await new Anthropic().messages.create(${body})\nconsole.log(message.content)`
  }
  if (call.api === 'gemini') {
    return `const body = ${body}\n\nconst answer = await fetch(${JSON.stringify(call.url)}, {\n  method: 'POST',\n  headers: { 'content-type': 'application/json', 'x-goog-api-key': process.env.GEMINI_API_KEY! },\n  body: JSON.stringify(body),\n})\nconsole.log(await answer.json())`
  }
  const method = call.api === 'openai-responses' ? 'responses' : 'chat.completions'
  const show = call.api === 'openai-responses' ? 'answer.output_text' : 'answer.choices[0]?.message'
  const client = call.url.includes('googleapis')
    ? `new OpenAI({\n  apiKey: process.env.GEMINI_API_KEY,\n  baseURL: '${call.url.replace('chat/completions', '')}',\n})`
    : 'new OpenAI()'
  return `// npm install openai\nimport OpenAI from 'openai'\n\nconst client = ${client}\nconst answer = await client.${method}.create(${body})\nconsole.log(${show})`
}

/** Prints a JSON value as a Python literal with four spaces of indentation. */
export function printPython(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  // JSON strings are valid Python strings.
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Array.isArray(value)
    ? value.map((item) => printPython(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printPython(item, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return open + close
  const [inner, outer] = ['    '.repeat(depth + 1), '    '.repeat(depth)]
  return `${open}\n${entries.map((entry) => `${inner}${entry},`).join('\n')}\n${outer}${close}`
}

/** Prints a JSON value as a TypeScript literal. */
export function printTypeScript(value: unknown): string {
  // A plain key `__proto__` in a literal would set the prototype; in brackets it is an ordinary key.
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"__proto__":/gm, '$1["__proto__"]:')
}

/** Quotes any text for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

interface RunToPrint {
  run: Run
  payload: RunPayload
  /** Name of the project to record into. */
  project: string
  origin: string
}

/** Prints a program that records the same run again as a new one. The key is read from the environment. */
export function printRun({ run, payload, project, origin }: RunToPrint, language: Language): string {
  const { name, run_type, start_time, end_time, error, tags, extra } = run
  const record = {
    name,
    run_type,
    inputs: payload.inputs ?? {},
    ...(payload.outputs != null && { outputs: payload.outputs }),
    ...(error && { error }),
    start_time,
    ...(end_time && { end_time }),
    ...(tags && tags.length > 0 && { tags }),
    ...(extra?.metadata !== undefined && { extra: { metadata: extra.metadata } }),
  }
  if (language === 'curl') {
    const body = JSON.stringify({ ...record, session_name: project }, null, 2)
    return [
      `curl -sS ${quoteForShell(`${origin}/api/v1/runs`)} \\`,
      `  -H 'content-type: application/json' \\`,
      `  -H "x-api-key: $LANGSMITH_API_KEY" \\`,
      `  -d ${quoteForShell(body)}`,
    ].join('\n')
  }
  if (language === 'python') {
    const body = printPython({ ...record, project_name: project })
    return `# pip install langsmith\nfrom langsmith import Client\n\nclient = Client(api_url="${origin}/api/v1")  # API key: LANGSMITH_API_KEY\nclient.create_run(**${body})\nclient.flush()`
  }
  const body = printTypeScript({ ...record, project_name: project })
  return `// npm install langsmith\nimport { Client } from 'langsmith'\n\nconst client = new Client({ apiUrl: '${origin}/api/v1' }) // API key: LANGSMITH_API_KEY\nawait client.createRun(${body})\nawait client.awaitPendingTraceBatches()`
}
