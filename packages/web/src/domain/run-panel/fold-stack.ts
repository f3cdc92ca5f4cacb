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

/**
 * Splits an error into message and frames. JavaScript prints the message before its frames, Python after them. Frames
 * of libraries are grouped so that the program's own frames stand out.
 */
export function foldStack(error: string): ErrorText {
  const lines = error.replace(/\r\n/g, '\n').trimEnd().split('\n')
  const isPython = lines.some((line) => /^\s*Traceback \(most recent call last\)/.test(line))
  return isPython ? foldPython(lines) : foldJavaScript(lines)
}

function foldJavaScript(lines: readonly string[]): ErrorText {
  const first = lines.findIndex((line) => /^\s+at\s/.test(line))
  if (first === -1) return { message: lines.join('\n'), groups: [] }
  return { message: lines.slice(0, first).join('\n'), groups: groupFrames(lines.slice(first)) }
}

function foldPython(lines: readonly string[]): ErrorText {
  const last = lines.findLastIndex(
    (line) =>
      /^\S.*?(Error|Exception|Interrupt|Exit|Warning|Timeout)?\b.*$/.test(line) &&
      !/^Traceback|^During|^The above/.test(line),
  )
  const message = lines.slice(Math.max(last, 0)).join('\n')
  // The line that the client puts before the traceback repeats its last line.
  const start = lines.findIndex((line) => /^\s*Traceback/.test(line))
  return { message, groups: groupFrames(lines.slice(start, last)) }
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
