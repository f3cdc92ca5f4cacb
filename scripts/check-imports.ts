import { pathToFileURL } from 'node:url'
import { findCycles } from './imports/find-cycles.ts'
import { findImports } from './imports/find-imports.ts'
import { findViolations, listFeatureEdges } from './imports/find-violations.ts'
import { type ImportRules, RULES } from './imports/rules.ts'
import { root } from './steps/root.mjs'

const FEATURES = 'packages/server/src/features'
/** More edges than this mean that features are cut along the wrong lines. */
const MAX_FEATURE_EDGES = 51

/** Returns a sentence for every import that breaks `imports/rules.ts`, for every cycle, and for too many edges. */
export function checkImports(folder: string, rules: ImportRules = RULES): string[] {
  const imports = findImports(folder)
  const edges = listFeatureEdges(imports, FEATURES)
  return [
    ...findViolations(imports, rules),
    ...findCycles(imports).map((files) => `these files import each other when the program runs: ${files.join(', ')}`),
    ...(edges.length > MAX_FEATURE_EDGES
      ? [`${edges.length} pairs of features import each other; at most ${MAX_FEATURE_EDGES} may: ${edges.join(', ')}`]
      : []),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sentences = checkImports(root)
  for (const sentence of sentences) console.error(sentence)
  const edges = listFeatureEdges(findImports(root), FEATURES).length
  console.log(`imports: ${sentences.length} problems, ${edges} edges between features`)
  process.exit(sentences.length === 0 ? 0 : 1)
}
