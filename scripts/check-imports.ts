import { pathToFileURL } from 'node:url'
import { findCycles } from './imports/find-cycles.ts'
import { findImports } from './imports/find-imports.ts'
import { findViolations, listFeatureEdges } from './imports/find-violations.ts'
import { type ImportRules, RULES } from './imports/rules.ts'
import { root } from './steps/root.mjs'

/**
 * Most pairs of features of which one imports the other. More mean that features are cut along the wrong lines. Rules, alerts and
 * their pages act on many nouns.
 */
const MAX_FEATURE_EDGES = { 'packages/server/src/features': 66, 'packages/web/src/features': 106 }

/** Returns a sentence for every import that breaks `imports/rules.ts`, for every cycle, and for too many edges. */
export function checkImports(folder: string, rules: ImportRules = RULES): string[] {
  const imports = findImports(folder)
  return [
    ...findViolations(imports, rules),
    ...findCycles(imports).map((files) => `these files import each other when the program runs: ${files.join(', ')}`),
    ...Object.entries(MAX_FEATURE_EDGES).flatMap(([features, most]) => {
      const edges = listFeatureEdges(imports, features)
      if (edges.length <= most) return []
      return `${edges.length} pairs of ${features} import each other; at most ${most} may: ${edges.join(', ')}`
    }),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sentences = checkImports(root)
  for (const sentence of sentences) console.error(sentence)
  const imports = findImports(root)
  const edges = Object.keys(MAX_FEATURE_EDGES).map(
    (folder) => `${listFeatureEdges(imports, folder).length} in ${folder}`,
  )
  console.log(`imports: ${sentences.length} problems; edges between features: ${edges.join(', ')}`)
  process.exit(sentences.length === 0 ? 0 : 1)
}
