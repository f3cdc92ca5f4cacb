import { isBoolean, type Preference, preference } from './preference.ts'

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
      const others = Object.entries(all.read()).filter(([one]) => one !== key)
      all.write(Object.fromEntries([...others, [key, chosen] as const].slice(-MOST)))
    },
  }
}

function isChoices(value: unknown): value is Choices {
  return typeof value === 'object' && value !== null && Object.values(value).every(isBoolean)
}
