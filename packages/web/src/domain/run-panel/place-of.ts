import type { RunDocument } from '#data/traces.ts'

/** Under which name a field of a project's runs is remembered; readers of a public link see no project. */
export function toMemoryKey({ run }: RunDocument, field: string): string | undefined {
  return run.session_id ? `${run.session_id}/${field}` : undefined
}
