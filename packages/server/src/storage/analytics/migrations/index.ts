import { runs } from './0001-runs.ts'
import { feedback } from './0002-feedback.ts'
import { metadataAndWords } from './0003-metadata-and-words.ts'
import { projectFigures } from './0004-project-figures.ts'
import { fewerMerges } from './0005-fewer-merges.ts'
import { wordsWithoutAlias } from './0006-words-without-alias.ts'
import { usageThatMayRepeat } from './0007-usage-that-may-repeat.ts'
import { cheaperPlaces } from './0008-cheaper-places.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  /** Each must be safe to run again. */
  readonly statements: readonly string[]
}

/** In order; a migration that was released is never rewritten. */
export const migrations: readonly Migration[] = [
  runs,
  feedback,
  metadataAndWords,
  projectFigures,
  fewerMerges,
  wordsWithoutAlias,
  usageThatMayRepeat,
  cheaperPlaces,
]
