import { uuid7 } from '../ids/uuid.ts'

const ADJECTIVES = (
  'able amber bold brave brief bright calm clear clever cold crisp daring deep eager early fair fine fleet fond fresh ' +
  'gentle glad golden grand green happy hardy honest humble keen kind large late light lively long loyal lucky mellow ' +
  'merry mild modest neat noble patient plain polite proud quick quiet rapid ready rosy round sharp shy silent simple ' +
  'sleek smart smooth soft solid spry steady still stout strong sunny sure swift tall tidy true vivid warm wide wise young'
).split(' ')

const NOUNS = (
  'acorn anchor apple arch badge barley basin beacon bell birch bridge brook cairn canal candle canyon cedar cherry ' +
  'cliff cloud clover comet coral cove crane creek dawn delta dune eagle ember falcon fern field finch fjord flint ' +
  'garden gate glade grove harbour hazel heath heron hill island ivory jasper lake lantern larch ledge lily linden ' +
  'lodge lynx maple marsh meadow mill mint moon moss oak orchard otter owl path pebble pine plum pond quarry quartz ' +
  'raven reef ridge river robin sage scale shore spruce star stone stream summit swan thicket tide touch tower vale ' +
  'valley violet wave weir willow wren'
).split(' ')

/** `adjective-noun-NN`, for what was given no name. */
export function randomName(): string {
  const pick = (words: readonly string[]) => words[Math.floor(Math.random() * words.length)]
  return `${pick(ADJECTIVES)}-${pick(NOUNS)}-${10 + Math.floor(Math.random() * 90)}`
}

/** So many random hex digits, at most 12. */
export function randomHex(digits: number): string {
  return uuid7().slice(-digits)
}
