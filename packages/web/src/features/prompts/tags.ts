import { findTagNameProblem } from '@touchstone/contract/prompt-tags'

interface TagEvent {
  readonly event: string
  readonly tag_name: string | null
  readonly commit_hash: string
}

/**
 * What a tag does now, if that is not what an earlier event of it has.
 *
 * @param tags  the tags of the prompt now
 * @returns a sentence; undefined when the event still holds, or is not about a tag
 */
export function findLaterChange(
  { event, tag_name: name, commit_hash: hash }: TagEvent,
  tags: readonly { readonly tag_name: string; readonly commit_hash: string }[],
): string | undefined {
  if (name === null) return undefined
  const now = tags.find(({ tag_name }) => tag_name === name)?.commit_hash
  if (now === (event === 'tag:delete' ? undefined : hash)) return undefined
  return now === undefined
    ? `The tag ${name} was deleted since.`
    : `The tag ${name} points to commit ${now.slice(0, 8)} now.`
}

/** Why a text cannot become a commit tag; undefined for a good name and for no name at all. */
export function tagNameProblem(name: string): string | undefined {
  return name === '' ? undefined : findTagNameProblem(name)
}
