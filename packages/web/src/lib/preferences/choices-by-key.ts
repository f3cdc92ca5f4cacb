import { type Preference, preference } from './preference.ts'
import { withLast } from './with-last.ts'

/** More keys than this are not remembered; the ones chosen longest ago go first. */
const MOST = 100

type Choices<Choice> = Readonly<Record<string, Choice>>

/** A remembered choice for each of many things, such as projects. */
export interface ChoicesByKey<Choice> extends Preference<Choices<Choice>> {
  choose(key: string, chosen: Choice): void
}

/** @param isChoice  guards against what older versions wrote */
export function choicesByKey<Choice>(
  name: string,
  isChoice: (value: unknown) => value is Choice,
): ChoicesByKey<Choice> {
  const isChoices = (value: unknown): value is Choices<Choice> =>
    typeof value === 'object' && value !== null && Object.values(value).every(isChoice)
  const all = preference<Choices<Choice>>(name, {}, isChoices)
  return {
    ...all,
    choose(key, chosen) {
      all.write(withLast(all.read(), key, chosen, MOST))
    },
  }
}
