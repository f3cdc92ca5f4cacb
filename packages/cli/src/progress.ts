import type { UploadProgress } from '@touchstone/sdk'
import type { Output } from './output.ts'

/** Tells how far an upload is, at most once a second. */
export function progressTo(output: Output, now: () => number = Date.now): (progress: UploadProgress) => void {
  let toldAt = now()
  return ({ uploaded, total }) => {
    if (now() - toldAt < 1000) return
    toldAt = now()
    output.talk(`${uploaded}${total === undefined ? '' : ` of ${total}`} examples stored …`)
  }
}
