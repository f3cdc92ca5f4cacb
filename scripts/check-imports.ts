import { pathToFileURL } from 'node:url'
import { findImports } from './imports/find-imports.ts'
import { HOUSE, type House } from './imports/house.ts'
import { judgeImports } from './imports/judge-imports.ts'
import { root } from './steps/root.mjs'

/** Every import of the repository that the table in `imports/house.ts` does not allow, as a sentence each. */
export function checkImports(folder: string, house: House = HOUSE): string[] {
  return judgeImports(findImports(folder), house)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sentences = checkImports(root)
  for (const sentence of sentences) console.error(sentence)
  console.log(sentences.length === 0 ? 'imports: as the table says' : `imports: ${sentences.length} against the table`)
  process.exit(sentences.length === 0 ? 0 : 1)
}
