import { giveUp, say } from './say.mjs'

/** A suite's tool is missing: a person is told and goes on without that suite, a CI run ends here. */
export function reportMissing(sentence) {
  if (process.env.CI === 'true') giveUp(`${sentence} Under CI=true nothing is skipped.`)
  say(sentence)
}
