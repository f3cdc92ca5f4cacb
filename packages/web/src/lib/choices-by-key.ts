import { isBoolean, type Preference, preference } from './preference.ts'
import { withLast } from './with-last.ts'

/** More keys than this are not remembered; the ones chosen longest ago go first. */
const MOST = 100

type Choices = Readonly<Record<string, boolean>>

/** A remembered yes or no for each of many things, such as projects; no is what nobody chose. */
export interface ChoicesByKey extends Preference<Choices> {
  choose(key: string, chosen: boolean): void
}

export function choicesByKey(name: string): ChoicesByKey {
  const all = preference<Choices>(name, {}, isChoices)
  return {
    ...all,
    choose(key, chosen) {
      all.write(withLast(all.read(), key, chosen, MOST))
    },
  }
}

function isChoices(value: unknown): value is Choices {
  return typeof value === 'object' && value !== null && Object.values(value).every(isBoolean)
}
