import { splitMembers } from '../../../json/cut-json.ts'

/** The tree of a commit as its manifest keeps it; both are JSON text. */
export const manifestOf = (files: string): string => `{"files":${files}}`

/** The files in a manifest, as the text of an object by path. */
export const filesOf = (manifest: string): string => splitMembers(manifest).get('files') ?? '{}'
