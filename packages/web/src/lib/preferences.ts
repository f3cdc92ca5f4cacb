import { createStore, type Store } from './store.ts'

/** A choice that this browser remembers, for example a density or a column order. */
export type Preference<Value> = Store<Value>

/**
 * @param name      short and stable; stored as `touchstone.<name>`. Create one preference per name: each keeps its own cache
 * @param fallback  used when nothing is stored or `check` rejects what is stored
 * @param check     rejects values that older versions stored
 */
export function createPreference<Value>(
  name: string,
  fallback: Value,
  check: (value: unknown) => value is Value,
): Preference<Value> {
  const key = `touchstone.${name}`
  const store = createStore(() => readStored(key, check) ?? fallback)
  return {
    ...store,
    write(value) {
      localStorage.setItem(key, JSON.stringify(value))
      store.write(value)
    },
  }
}

/** Reads undefined where local storage is missing, blocked or holds something else. */
function readStored<Value>(key: string, check: (value: unknown) => value is Value): Value | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return check(value) ? value : undefined
  } catch {
    return undefined
  }
}

type Choices<Choice> = Readonly<Record<string, Choice>>

/** A remembered choice per key, for example per project. */
export interface ChoicesByKey<Choice> extends Preference<Choices<Choice>> {
  choose(key: string, choice: Choice): void
}

/** The choices that were changed longest ago are forgotten first. */
const MAX_CHOICES = 100

/** @param isChoice  rejects values that older versions stored */
export function createChoicesByKey<Choice>(
  name: string,
  isChoice: (value: unknown) => value is Choice,
): ChoicesByKey<Choice> {
  const isChoices = (value: unknown): value is Choices<Choice> =>
    typeof value === 'object' && value !== null && Object.values(value).every(isChoice)
  const all = createPreference<Choices<Choice>>(name, {}, isChoices)
  return {
    ...all,
    choose(key, choice) {
      all.write(putLast(all.read(), key, choice, MAX_CHOICES))
    },
  }
}

/** Returns the record with one entry set and moved to the end; drops the first entries beyond `max`. */
export function putLast<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
  value: Value,
  max: number,
): Record<string, Value> {
  const others = Object.entries(record).filter(([name]) => name !== key)
  return Object.fromEntries([...others, [key, value] as const].slice(-max))
}

/** A check for a choice between a few strings. */
export function isOneOf<const Word extends string>(...words: readonly Word[]) {
  return (value: unknown): value is Word => words.includes(value as Word)
}

export const isText = (value: unknown): value is string => typeof value === 'string'
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
/** Numbers by name, for example widths by column. */
export const isNumbersByName = (value: unknown): value is Record<string, number> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isNumber)
export const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Preferences that apply to every page. Settings > Preferences edits them. */

export const DENSITIES = ['compact', 'comfortable', 'preview'] as const
export type Density = (typeof DENSITIES)[number]
export const densityPreference = createPreference<Density>('density', 'compact', isOneOf(...DENSITIES))

/** Height of a row in a list of runs, in px. `preview` fits several lines of the input and output. */
export const ROW_HEIGHT: Readonly<Record<Density, number>> = { compact: 28, comfortable: 36, preview: 96 }

/** Minimum row height of any list, in px. Only lists of runs have previews; other lists are compact then. */
export function getMinRowHeight(density: Density): number {
  return ROW_HEIGHT[density === 'preview' ? 'compact' : density]
}

type ZoneChoice = 'local' | 'UTC'
/** Time zone of displayed times. Copied times are always UTC. */
export const zonePreference = createPreference<ZoneChoice>('zone', 'local', isOneOf('local', 'UTC'))

const isDecimals = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 6
/** Decimals of scores, 0 to 6. */
export const decimalsPreference = createPreference('score-decimals', 2, isDecimals)

export type Motion = 'system' | 'reduced'
export const motionPreference = createPreference<Motion>('motion', 'system', isOneOf('system', 'reduced'))

/** Whether the home page shows the "Get started" steps. False once all are done or the list was dismissed. */
export const getStartedPreference = createPreference('get-started', true, isBoolean)

/** A page that was opened in this browser. */
export interface Recent {
  kind: 'project' | 'thread' | 'dataset' | 'experiment' | 'queue' | 'prompt'
  label: string
  /** Path and search of its page. */
  href: string
}

const MAX_RECENTS = 12

export const recentsPreference = createPreference<readonly Recent[]>('recents', [], isRecents)

/** Moves a page to the start of the recent pages. */
export function addRecent(recent: Recent): void {
  const others = recentsPreference.read().filter(({ href }) => href !== recent.href)
  recentsPreference.write([recent, ...others].slice(0, MAX_RECENTS))
}

function isRecents(value: unknown): value is Recent[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one) =>
        typeof one?.label === 'string' &&
        typeof one.href === 'string' &&
        /^\/o\//.test(one.href) &&
        typeof one.kind === 'string',
    )
  )
}
