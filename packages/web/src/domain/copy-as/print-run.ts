import type { Run } from '@touchstone/contract'
import type { RunPayload } from '#domain/add-to-dataset/mapping.ts'
import type { Language } from './print-call.ts'
import { printPython, printTypeScript, quoteForShell } from './print-literal.ts'

export interface RunToPrint {
  run: Run
  cargo: RunPayload
  /** Name of the project to record into. */
  project: string
  /** `http://localhost:3000` */
  origin: string
}

/** A program that records the same run again, as a new one; the key comes from the environment. */
export function printRun({ run, cargo, project, origin }: RunToPrint, language: Language): string {
  const { name, run_type, start_time, end_time, error, tags, extra } = run
  const record = {
    name,
    run_type,
    inputs: cargo.inputs ?? {},
    ...(cargo.outputs != null && { outputs: cargo.outputs }),
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
    return `# pip install langsmith\nfrom langsmith import Client\n\nclient = Client(api_url="${origin}/api/v1")  # the key: LANGSMITH_API_KEY\nclient.create_run(**${body})\nclient.flush()`
  }
  const body = printTypeScript({ ...record, project_name: project })
  return `// npm install @touchstone/sdk\nimport { Client } from '@touchstone/sdk'\n\nconst client = new Client({ apiUrl: '${origin}/api/v1' }) // the key: LANGSMITH_API_KEY\nawait client.createRun(${body})\nawait client.flush()`
}
