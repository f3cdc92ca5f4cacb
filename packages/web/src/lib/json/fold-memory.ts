import { createPreference, putLast } from '../preferences/preference.ts'
import type { FoldChoice } from './json-outline.ts'
import { parsePath } from './json-path.ts'

/** By place, then by path: whether the value was left open. What was changed last stands last. */
type Folds = Readonly<Record<string, Readonly<Record<string, boolean>>>>

/** Older ones are forgotten. */
const MOST_PLACES = 50
const MOST_PATHS = 100

const isFolds = (value: unknown): value is Folds => isRecord(value) && Object.values(value).every(isRecord)
const folds = createPreference<Folds>('json-folds', {}, isFolds)

/**
 * What somebody left open and closed, parents first.
 *
 * @param place  names documents that look alike, such as the inputs and outputs of one project's runs
 */
export function readFolds(place: string): FoldChoice[] {
  const choices = Object.entries(folds.read()[place] ?? {}).flatMap(([text, open]) => {
    const path = parsePath(text)
    return path ? [{ path, open }] : []
  })
  return choices.sort((one, other) => one.path.length - other.path.length)
}

/** Remembers that the value at a path was left open, or closed. */
export function rememberFold(place: string, path: string, open: boolean): void {
  const all = folds.read()
  folds.write(putLast(all, place, putLast(all[place] ?? {}, path, open, MOST_PATHS), MOST_PLACES))
}

function isRecord(value: unknown): value is Record<string, never> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
