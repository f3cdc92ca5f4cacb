import { randomUUID } from 'node:crypto'
import { uuid7 } from '@touchstone/contract'
import { formBody } from './multipart.ts'

const WORDS = Array.from({ length: 5_000 }, (_, at) => `w${((at * 2_654_435_761) >>> 0).toString(36)}`)

/** Prose of about the given length, with frequent and rare words as in natural language. */
export function prose(characters: number): string {
  let text = ''
  while (text.length < characters) text += `${WORDS[Math.floor(Math.random() ** 3 * WORDS.length)]} `
  return text
}

/**
 * Finished runs with about 2 kB of payload, as the SDKs post them: traces of ten runs, a root chain with llm and tool
 * steps.
 */
export function makeTraceRuns(
  count: number,
  project: string,
): { id: string; main: object; parts: Record<string, object> }[] {
  const runs = []
  let root: { id: string; order: string } | undefined
  for (let at = 0; at < count; at++) {
    if (at % 10 === 0) root = undefined
    const id = uuid7()
    const start = new Date(Date.now() + (at % 10)).toISOString().replace('Z', '000Z')
    const segment = `${start.replace(/[-:.]/g, '')}${id}`
    const order = root === undefined ? segment : `${root.order}.${segment}`
    const isLlm = root !== undefined && at % 2 === 1
    runs.push({
      id,
      main: {
        id,
        trace_id: root?.id ?? id,
        dotted_order: order,
        ...(root && { parent_run_id: root.id }),
        name: root === undefined ? 'answer' : isLlm ? 'call_model' : 'search',
        run_type: root === undefined ? 'chain' : isLlm ? 'llm' : 'tool',
        start_time: start,
        end_time: new Date(Date.now() + 900).toISOString().replace('Z', '000Z'),
        session_name: project,
        tags: ['bench'],
      },
      parts: {
        inputs: { messages: [{ role: 'user', content: prose(850) }] },
        outputs: isLlm
          ? {
              choices: [{ message: { role: 'assistant', content: prose(750) } }],
              usage_metadata: { input_tokens: 200, output_tokens: 90, total_tokens: 290 },
            }
          : { result: prose(850) },
        extra: {
          metadata: { user: `u${at % 97}`, thread_id: randomUUID(), ls_model_name: 'gpt-4.1', ls_provider: 'openai' },
          runtime: {
            sdk: 'langsmith-py',
            sdk_version: '0.4.0',
            library: 'langsmith',
            platform: 'linux',
            runtime: 'python',
          },
        },
      },
    })
    root ??= { id, order }
  }
  return runs
}

/** A multipart body as the SDKs send it, with creates only. */
export function multipartBody(runs: ReturnType<typeof makeTraceRuns>): Buffer {
  return formBody(
    runs.flatMap((run) => [
      { name: `post.${run.id}`, json: run.main },
      ...Object.entries(run.parts).map(([field, json]) => ({ name: `post.${run.id}.${field}`, json })),
    ]),
  ).bytes
}
