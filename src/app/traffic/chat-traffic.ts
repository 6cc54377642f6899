import type { Disposable } from '../../base/disposable.ts';
import { AcpError, messageOf } from '../../base/errors.ts';
import { countOf } from '../../base/text.ts';
import type { Traffic } from '../../ports/traffic.ts';
import { redactMessage } from '../../system/redact.ts';
import { messageLines } from '../../view/traffic.ts';
import { Recorder } from './recorder.ts';
import { type TrafficPorts, TrafficWindow } from './traffic-window.ts';

/** Shows and records the messages between a chat and its agent. */
export class ChatTraffic implements Disposable {
  private readonly chat: number;
  private readonly ports: TrafficPorts;
  private readonly current: () => Traffic | undefined;
  private isOpen = false;
  private window: TrafficWindow | undefined;
  private recorder: Recorder | undefined;

  constructor(chat: number, ports: TrafficPorts, current: () => Traffic | undefined) {
    this.chat = chat;
    this.ports = ports;
    this.current = current;
  }

  open(): void {
    this.close();
    this.isOpen = true;
    this.follow();
  }

  close(): void {
    this.isOpen = false;
    this.window?.dispose();
    this.window = undefined;
  }

  /** Shows the current connection; an agent that was restarted has a new one. */
  follow(): void {
    const traffic = this.isOpen ? this.current() : undefined;
    if (!traffic || this.window?.traffic === traffic) return;
    this.window?.dispose();
    this.window = new TrafficWindow(this.chat, traffic, this.ports, () => this.close());
  }

  /** A message as JSON, if it is still kept. */
  messageLines(number: number): readonly string[] {
    const [entry] = this.window?.traffic.since(number, 1) ?? [];
    return entry?.number === number ? messageLines(redactMessage(entry.message)) : [];
  }

  get isRecording(): boolean {
    return this.recorder !== undefined;
  }

  record(file: string): void {
    const traffic = this.current();
    if (!traffic) throw new AcpError('not_found', 'the agent was not started yet');
    if (this.recorder)
      return this.ports.editor.notify(
        'info',
        `already recording to ${this.recorder.file}; :AcpRecord! stops it`,
      );
    this.recorder = openRecorder(file, this.ports);
    if (!traffic.isOver) this.ports.editor.notify('info', `recording to ${file}; :AcpRecord! stops it`);
    this.recorder.start(traffic, (error) => this.onRecorded(error));
  }

  stopRecording(): void {
    if (this.recorder) this.recorder.dispose();
    else this.ports.editor.notify('info', 'nothing is being recorded; :AcpRecord starts a recording');
  }

  dispose(): void {
    this.close();
    this.recorder?.dispose();
  }

  private onRecorded(error: unknown): void {
    const recorder = this.recorder;
    this.recorder = undefined;
    if (!recorder) return;
    const what = `recorded ${countOf(recorder.count, 'message')} to ${recorder.file}`;
    if (error === undefined) this.ports.editor.notify('info', what);
    else this.ports.editor.notify('error', `${what}; then writing failed: ${messageOf(error)}`);
  }
}

function openRecorder(file: string, ports: TrafficPorts): Recorder {
  try {
    return new Recorder(file, ports);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const reason = isThere ? `${file} exists already` : messageOf(error);
    throw new AcpError('bad_params', `${reason}; give the recording another name`, { cause: error });
  }
}
