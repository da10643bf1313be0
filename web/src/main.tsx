import { render } from 'preact';
import { App } from './app';
import { embeddedSource } from './embedded_source';
import { HttpSource } from './http_source';
import { follow } from './state';
import './style.css';

const token = new URLSearchParams(location.search).get('token') ?? '';
void follow(embeddedSource(document) ?? new HttpSource(token));
render(<App />, document.getElementById('app')!);
