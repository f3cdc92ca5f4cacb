import { splitError } from '@touchstone/contract/error-line'

/** Consecutive frames of a stack trace, either of the program or of libraries. */
export interface FrameGroup {
  lines: string[]
  isLibrary: boolean
}

/** A recorded error, split into its message and its frames. */
export interface ErrorText {
  message: string
  groups: FrameGroup[]
}

const LIBRARY = /node_modules|node:internal|site-packages|dist-packages|[/\\]lib[/\\]python3|<frozen /
const FRAME = /^\s*(at\s|File ")/

/** Splits an error into message and frames. Frames of libraries are grouped so that the program's own frames stand out. */
export function foldStack(error: string): ErrorText {
  const { message, stack } = splitError(error)
  return { message, groups: stack === '' ? [] : groupFrames(stack.split('\n')) }
}

/** Lines that are not frames, such as source text or a caret, belong to the frame above. */
function groupFrames(lines: readonly string[]): FrameGroup[] {
  const groups: FrameGroup[] = []
  for (const line of lines) {
    const current = groups.at(-1)
    const isLibrary = FRAME.test(line) ? LIBRARY.test(line) : (current?.isLibrary ?? false)
    if (current && current.isLibrary === isLibrary) current.lines.push(line)
    else groups.push({ lines: [line], isLibrary })
  }
  return groups
}
