/** An answer that is JSON text already: sent as it stands, so that users' data is never parsed and printed again. */
export class RawJson {
  constructor(readonly text: string | Buffer) {}
}
