import { formatAbsoluteTime } from '#lib/format.ts'
import type { SelectOption } from '#lib/select.ts'

/** Versions of a dataset as options: tags with their time, or the time alone. */
export function toVersionOptions(
  versions: readonly { readonly as_of: string; readonly tags?: readonly string[] | null | undefined }[],
): SelectOption[] {
  return versions.map(({ as_of, tags }) => {
    const time = formatAbsoluteTime(as_of)
    return { value: as_of, label: tags && tags.length > 0 ? `${tags.join(', ')} (${time})` : time }
  })
}
